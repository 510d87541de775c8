//! Declarations of the C ABI, written by `cargo xtask codegen` from include/sppark_fork.h. Do not edit.
#![allow(
    missing_docs,
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]

pub const SPF_ABI_VERSION: i32 = 2;
pub const SPF_OK: i32 = 0;
pub const SPF_NO_DEVICE: i32 = 1;
pub const SPF_OUT_OF_MEMORY: i32 = 2;
pub const SPF_LAUNCH: i32 = 3;
pub const SPF_DEVICE: i32 = 4;
pub const SPF_INVALID: i32 = 5;
pub const SPF_INTERNAL: i32 = 6;
pub const SPF_NTT_FORWARD: i32 = 0;
pub const SPF_NTT_INVERSE: i32 = 1;
pub const SPF_NTT_NATURAL_TO_NATURAL: i32 = 0;
pub const SPF_NTT_NATURAL_TO_REVERSED: i32 = 1;
pub const SPF_NTT_REVERSED_TO_NATURAL: i32 = 2;
pub const SPF_NTT_REVERSED_TO_REVERSED: i32 = 3;
pub const SPF_NTT_MAX_LOG_N: i32 = 28;
pub const SPF_QUOTIENT_OF_A: i32 = 1;
pub const SPF_QUOTIENT_REST: i32 = 2;
pub const SPF_PIPPENGER_DEFERRED: i32 = 0;
pub const SPF_PIPPENGER_PER_BATCH: i32 = 1;
pub const SPF_ACCUMULATION_CHOSEN: i32 = 0;
pub const SPF_ACCUMULATION_EXTENDED: i32 = 1;
pub const SPF_ACCUMULATION_AFFINE: i32 = 2;
pub const SPF_PROBE_FP: i32 = 0;
pub const SPF_PROBE_FR: i32 = 1;
pub const SPF_PROBE_FP2: i32 = 2;
pub const SPF_PROBE_FP_FORM: i32 = 3;
pub const SPF_PROBE_FR_FORM: i32 = 4;
pub const SPF_PROBE_G1: i32 = 5;
pub const SPF_PROBE_G2: i32 = 6;
pub const SPF_PROBE_SPLIT: i32 = 7;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_error {
    pub kind: i32,
    pub code: i32,
    pub line: u32,
    pub reserved: u32,
    pub need_bytes: u64,
    pub free_bytes: u64,
    pub text: [::core::ffi::c_char; 224usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_error"][::core::mem::size_of::<spf_error>() - 256usize];
    ["Alignment of spf_error"][::core::mem::align_of::<spf_error>() - 8usize];
    ["Offset of field: spf_error::kind"][::core::mem::offset_of!(spf_error, kind) - 0usize];
    ["Offset of field: spf_error::code"][::core::mem::offset_of!(spf_error, code) - 4usize];
    ["Offset of field: spf_error::line"][::core::mem::offset_of!(spf_error, line) - 8usize];
    ["Offset of field: spf_error::reserved"][::core::mem::offset_of!(spf_error, reserved) - 12usize];
    ["Offset of field: spf_error::need_bytes"][::core::mem::offset_of!(spf_error, need_bytes) - 16usize];
    ["Offset of field: spf_error::free_bytes"][::core::mem::offset_of!(spf_error, free_bytes) - 24usize];
    ["Offset of field: spf_error::text"][::core::mem::offset_of!(spf_error, text) - 32usize];
};
impl Default for spf_error {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_stream {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_event {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_device_info {
    pub size: u64,
    pub total_bytes: u64,
    pub major: u32,
    pub minor: u32,
    pub n_multiprocessors: u32,
    pub clock_mhz: u32,
    pub l2_bytes: u64,
    pub shared_bytes_per_block: u64,
    pub name: [::core::ffi::c_char; 128usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_device_info"][::core::mem::size_of::<spf_device_info>() - 176usize];
    ["Alignment of spf_device_info"][::core::mem::align_of::<spf_device_info>() - 8usize];
    ["Offset of field: spf_device_info::size"][::core::mem::offset_of!(spf_device_info, size) - 0usize];
    ["Offset of field: spf_device_info::total_bytes"]
        [::core::mem::offset_of!(spf_device_info, total_bytes) - 8usize];
    ["Offset of field: spf_device_info::major"][::core::mem::offset_of!(spf_device_info, major) - 16usize];
    ["Offset of field: spf_device_info::minor"][::core::mem::offset_of!(spf_device_info, minor) - 20usize];
    ["Offset of field: spf_device_info::n_multiprocessors"]
        [::core::mem::offset_of!(spf_device_info, n_multiprocessors) - 24usize];
    ["Offset of field: spf_device_info::clock_mhz"]
        [::core::mem::offset_of!(spf_device_info, clock_mhz) - 28usize];
    ["Offset of field: spf_device_info::l2_bytes"]
        [::core::mem::offset_of!(spf_device_info, l2_bytes) - 32usize];
    ["Offset of field: spf_device_info::shared_bytes_per_block"]
        [::core::mem::offset_of!(spf_device_info, shared_bytes_per_block) - 40usize];
    ["Offset of field: spf_device_info::name"][::core::mem::offset_of!(spf_device_info, name) - 48usize];
};
impl Default for spf_device_info {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_abi_version() -> u32;
}
unsafe extern "C" {
    pub fn spf_cuda_versions(runtime: *mut u32, driver: *mut u32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_count(n_devices: *mut u32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_get_info(device: u32, info: *mut spf_device_info, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_memory(
        device: u32,
        free_bytes: *mut u64,
        total_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_synchronize(device: u32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_stream_create(
        device: u32,
        is_urgent: u32,
        stream: *mut *mut spf_stream,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_stream_destroy(stream: *mut spf_stream, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_stream_synchronize(stream: *mut spf_stream, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_stream_query(stream: *mut spf_stream, done: *mut u32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_stream_wait_event_on(
        stream: *mut spf_stream,
        event: *mut spf_event,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_create(
        device: u32,
        with_timing: u32,
        event: *mut *mut spf_event,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_destroy(event: *mut spf_event, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_record_on(event: *mut spf_event, stream: *mut spf_stream, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_synchronize(event: *mut spf_event, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_query(event: *mut spf_event, done: *mut u32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_event_elapsed_ms(
        start: *mut spf_event,
        stop: *mut spf_event,
        elapsed_ms: *mut f32,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_alloc(
        device: u32,
        n_bytes: u64,
        d_memory: *mut *mut ::core::ffi::c_void,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_device_free(device: u32, d_memory: *mut ::core::ffi::c_void, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_pinned_alloc(
        device: u32,
        n_bytes: u64,
        h_memory: *mut *mut ::core::ffi::c_void,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_pinned_free(device: u32, h_memory: *mut ::core::ffi::c_void, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_host_register(
        device: u32,
        h_memory: *mut ::core::ffi::c_void,
        n_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_host_unregister(device: u32, h_memory: *mut ::core::ffi::c_void, error: *mut spf_error)
        -> i32;
}
unsafe extern "C" {
    pub fn spf_copy_to_device_on(
        stream: *mut spf_stream,
        d_to: *mut ::core::ffi::c_void,
        h_from: *const ::core::ffi::c_void,
        n_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_copy_to_host_on(
        stream: *mut spf_stream,
        h_to: *mut ::core::ffi::c_void,
        d_from: *const ::core::ffi::c_void,
        n_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_copy_on_device_on(
        stream: *mut spf_stream,
        d_to: *mut ::core::ffi::c_void,
        d_from: *const ::core::ffi::c_void,
        n_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fill_bytes_on(
        stream: *mut spf_stream,
        d_memory: *mut ::core::ffi::c_void,
        byte: u32,
        n_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_delay_on(stream: *mut spf_stream, microseconds: u64, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_ntt_table_bytes(max_log_n: u32) -> u64;
}
unsafe extern "C" {
    pub fn spf_ntt_table_build_on(
        stream: *mut spf_stream,
        max_log_n: u32,
        d_table: *mut ::core::ffi::c_void,
        table_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_ntt_args {
    pub size: u64,
    pub d_data: *mut ::core::ffi::c_void,
    pub d_table: *const ::core::ffi::c_void,
    pub table_bytes: u64,
    pub table_max_log_n: u32,
    pub log_n: u32,
    pub direction: u32,
    pub order: u32,
    pub on_coset: u32,
    pub most_bits_a_pass: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_ntt_args"][::core::mem::size_of::<spf_ntt_args>() - 56usize];
    ["Alignment of spf_ntt_args"][::core::mem::align_of::<spf_ntt_args>() - 8usize];
    ["Offset of field: spf_ntt_args::size"][::core::mem::offset_of!(spf_ntt_args, size) - 0usize];
    ["Offset of field: spf_ntt_args::d_data"][::core::mem::offset_of!(spf_ntt_args, d_data) - 8usize];
    ["Offset of field: spf_ntt_args::d_table"][::core::mem::offset_of!(spf_ntt_args, d_table) - 16usize];
    ["Offset of field: spf_ntt_args::table_bytes"]
        [::core::mem::offset_of!(spf_ntt_args, table_bytes) - 24usize];
    ["Offset of field: spf_ntt_args::table_max_log_n"]
        [::core::mem::offset_of!(spf_ntt_args, table_max_log_n) - 32usize];
    ["Offset of field: spf_ntt_args::log_n"][::core::mem::offset_of!(spf_ntt_args, log_n) - 36usize];
    ["Offset of field: spf_ntt_args::direction"][::core::mem::offset_of!(spf_ntt_args, direction) - 40usize];
    ["Offset of field: spf_ntt_args::order"][::core::mem::offset_of!(spf_ntt_args, order) - 44usize];
    ["Offset of field: spf_ntt_args::on_coset"][::core::mem::offset_of!(spf_ntt_args, on_coset) - 48usize];
    ["Offset of field: spf_ntt_args::most_bits_a_pass"]
        [::core::mem::offset_of!(spf_ntt_args, most_bits_a_pass) - 52usize];
};
impl Default for spf_ntt_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_ntt_run_on(stream: *mut spf_stream, args: *const spf_ntt_args, error: *mut spf_error) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_quotient_args {
    pub size: u64,
    pub d_a: *mut ::core::ffi::c_void,
    pub d_b: *mut ::core::ffi::c_void,
    pub d_c: *mut ::core::ffi::c_void,
    pub d_table: *const ::core::ffi::c_void,
    pub table_bytes: u64,
    pub table_max_log_n: u32,
    pub log_n: u32,
    pub c_is_given: u32,
    pub steps: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_quotient_args"][::core::mem::size_of::<spf_quotient_args>() - 64usize];
    ["Alignment of spf_quotient_args"][::core::mem::align_of::<spf_quotient_args>() - 8usize];
    ["Offset of field: spf_quotient_args::size"][::core::mem::offset_of!(spf_quotient_args, size) - 0usize];
    ["Offset of field: spf_quotient_args::d_a"][::core::mem::offset_of!(spf_quotient_args, d_a) - 8usize];
    ["Offset of field: spf_quotient_args::d_b"][::core::mem::offset_of!(spf_quotient_args, d_b) - 16usize];
    ["Offset of field: spf_quotient_args::d_c"][::core::mem::offset_of!(spf_quotient_args, d_c) - 24usize];
    ["Offset of field: spf_quotient_args::d_table"]
        [::core::mem::offset_of!(spf_quotient_args, d_table) - 32usize];
    ["Offset of field: spf_quotient_args::table_bytes"]
        [::core::mem::offset_of!(spf_quotient_args, table_bytes) - 40usize];
    ["Offset of field: spf_quotient_args::table_max_log_n"]
        [::core::mem::offset_of!(spf_quotient_args, table_max_log_n) - 48usize];
    ["Offset of field: spf_quotient_args::log_n"]
        [::core::mem::offset_of!(spf_quotient_args, log_n) - 52usize];
    ["Offset of field: spf_quotient_args::c_is_given"]
        [::core::mem::offset_of!(spf_quotient_args, c_is_given) - 56usize];
    ["Offset of field: spf_quotient_args::steps"]
        [::core::mem::offset_of!(spf_quotient_args, steps) - 60usize];
};
impl Default for spf_quotient_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_poly_quotient_on(
        stream: *mut spf_stream,
        args: *const spf_quotient_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_poly_multiply_on(
        stream: *mut spf_stream,
        d_out: *mut ::core::ffi::c_void,
        d_a: *const ::core::ffi::c_void,
        d_b: *const ::core::ffi::c_void,
        n_elements: u64,
        error: *mut spf_error,
    ) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_msm {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_msm_args {
    pub size: u64,
    pub points: *const ::core::ffi::c_void,
    pub scalars: *const ::core::ffi::c_void,
    pub d_indices: *const u32,
    pub n_points: u64,
    pub n_bases: u64,
    pub points_on_host: u32,
    pub scalars_on_host: u32,
    pub scalars_are_montgomery: u32,
    pub points_in_subgroup: u32,
    pub schedule: u32,
    pub window_bits: u32,
    pub max_batch_points: u64,
    pub max_group_entries: u64,
    pub n_multiprocessors: u32,
    pub accumulation: u32,
    pub d_workspace: *mut ::core::ffi::c_void,
    pub workspace_bytes: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_msm_args"][::core::mem::size_of::<spf_msm_args>() - 112usize];
    ["Alignment of spf_msm_args"][::core::mem::align_of::<spf_msm_args>() - 8usize];
    ["Offset of field: spf_msm_args::size"][::core::mem::offset_of!(spf_msm_args, size) - 0usize];
    ["Offset of field: spf_msm_args::points"][::core::mem::offset_of!(spf_msm_args, points) - 8usize];
    ["Offset of field: spf_msm_args::scalars"][::core::mem::offset_of!(spf_msm_args, scalars) - 16usize];
    ["Offset of field: spf_msm_args::d_indices"][::core::mem::offset_of!(spf_msm_args, d_indices) - 24usize];
    ["Offset of field: spf_msm_args::n_points"][::core::mem::offset_of!(spf_msm_args, n_points) - 32usize];
    ["Offset of field: spf_msm_args::n_bases"][::core::mem::offset_of!(spf_msm_args, n_bases) - 40usize];
    ["Offset of field: spf_msm_args::points_on_host"]
        [::core::mem::offset_of!(spf_msm_args, points_on_host) - 48usize];
    ["Offset of field: spf_msm_args::scalars_on_host"]
        [::core::mem::offset_of!(spf_msm_args, scalars_on_host) - 52usize];
    ["Offset of field: spf_msm_args::scalars_are_montgomery"]
        [::core::mem::offset_of!(spf_msm_args, scalars_are_montgomery) - 56usize];
    ["Offset of field: spf_msm_args::points_in_subgroup"]
        [::core::mem::offset_of!(spf_msm_args, points_in_subgroup) - 60usize];
    ["Offset of field: spf_msm_args::schedule"][::core::mem::offset_of!(spf_msm_args, schedule) - 64usize];
    ["Offset of field: spf_msm_args::window_bits"]
        [::core::mem::offset_of!(spf_msm_args, window_bits) - 68usize];
    ["Offset of field: spf_msm_args::max_batch_points"]
        [::core::mem::offset_of!(spf_msm_args, max_batch_points) - 72usize];
    ["Offset of field: spf_msm_args::max_group_entries"]
        [::core::mem::offset_of!(spf_msm_args, max_group_entries) - 80usize];
    ["Offset of field: spf_msm_args::n_multiprocessors"]
        [::core::mem::offset_of!(spf_msm_args, n_multiprocessors) - 88usize];
    ["Offset of field: spf_msm_args::accumulation"]
        [::core::mem::offset_of!(spf_msm_args, accumulation) - 92usize];
    ["Offset of field: spf_msm_args::d_workspace"]
        [::core::mem::offset_of!(spf_msm_args, d_workspace) - 96usize];
    ["Offset of field: spf_msm_args::workspace_bytes"]
        [::core::mem::offset_of!(spf_msm_args, workspace_bytes) - 104usize];
};
impl Default for spf_msm_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_msm_create(
        device: u32,
        with_timing: u32,
        msm: *mut *mut spf_msm,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_destroy(msm: *mut spf_msm, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_idle_ms(msm: *mut spf_msm, idle_ms: *mut f32, error: *mut spf_error) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g1_workspace_bytes(
        args: *const spf_msm_args,
        n_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g2_workspace_bytes(
        args: *const spf_msm_args,
        n_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g1_start_on(
        msm: *mut spf_msm,
        stream: *mut spf_stream,
        args: *const spf_msm_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g2_start_on(
        msm: *mut spf_msm,
        stream: *mut spf_stream,
        args: *const spf_msm_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g1_finish(
        msm: *mut spf_msm,
        point: *mut ::core::ffi::c_void,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_g2_finish(
        msm: *mut spf_msm,
        point: *mut ::core::ffi::c_void,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_msm_moved_bytes(
        msm: *const spf_msm,
        to_device: *mut u64,
        to_host: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_batch_add_args {
    pub size: u64,
    pub points: *const ::core::ffi::c_void,
    pub bitmap: *const u32,
    pub n_points: u64,
    pub points_on_host: u32,
    pub bitmap_on_host: u32,
    pub max_batch_points: u64,
    pub n_multiprocessors: u32,
    pub reserved: u32,
    pub d_workspace: *mut ::core::ffi::c_void,
    pub workspace_bytes: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_batch_add_args"][::core::mem::size_of::<spf_batch_add_args>() - 72usize];
    ["Alignment of spf_batch_add_args"][::core::mem::align_of::<spf_batch_add_args>() - 8usize];
    ["Offset of field: spf_batch_add_args::size"][::core::mem::offset_of!(spf_batch_add_args, size) - 0usize];
    ["Offset of field: spf_batch_add_args::points"]
        [::core::mem::offset_of!(spf_batch_add_args, points) - 8usize];
    ["Offset of field: spf_batch_add_args::bitmap"]
        [::core::mem::offset_of!(spf_batch_add_args, bitmap) - 16usize];
    ["Offset of field: spf_batch_add_args::n_points"]
        [::core::mem::offset_of!(spf_batch_add_args, n_points) - 24usize];
    ["Offset of field: spf_batch_add_args::points_on_host"]
        [::core::mem::offset_of!(spf_batch_add_args, points_on_host) - 32usize];
    ["Offset of field: spf_batch_add_args::bitmap_on_host"]
        [::core::mem::offset_of!(spf_batch_add_args, bitmap_on_host) - 36usize];
    ["Offset of field: spf_batch_add_args::max_batch_points"]
        [::core::mem::offset_of!(spf_batch_add_args, max_batch_points) - 40usize];
    ["Offset of field: spf_batch_add_args::n_multiprocessors"]
        [::core::mem::offset_of!(spf_batch_add_args, n_multiprocessors) - 48usize];
    ["Offset of field: spf_batch_add_args::reserved"]
        [::core::mem::offset_of!(spf_batch_add_args, reserved) - 52usize];
    ["Offset of field: spf_batch_add_args::d_workspace"]
        [::core::mem::offset_of!(spf_batch_add_args, d_workspace) - 56usize];
    ["Offset of field: spf_batch_add_args::workspace_bytes"]
        [::core::mem::offset_of!(spf_batch_add_args, workspace_bytes) - 64usize];
};
impl Default for spf_batch_add_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_batch_add_g1_workspace_bytes(
        args: *const spf_batch_add_args,
        n_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_batch_add_g2_workspace_bytes(
        args: *const spf_batch_add_args,
        n_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_batch_add_g1_start_on(
        msm: *mut spf_msm,
        stream: *mut spf_stream,
        args: *const spf_batch_add_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_batch_add_g2_start_on(
        msm: *mut spf_msm,
        stream: *mut spf_stream,
        args: *const spf_batch_add_args,
        error: *mut spf_error,
    ) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_split_args {
    pub size: u64,
    pub d_elements: *const ::core::ffi::c_void,
    pub d_indices: *const u32,
    pub n_elements: u64,
    pub n: u64,
    pub d_ones: *mut u32,
    pub d_tail_terms: *mut u32,
    pub d_tail_scalars: *mut ::core::ffi::c_void,
    pub d_counts: *mut u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_split_args"][::core::mem::size_of::<spf_split_args>() - 72usize];
    ["Alignment of spf_split_args"][::core::mem::align_of::<spf_split_args>() - 8usize];
    ["Offset of field: spf_split_args::size"][::core::mem::offset_of!(spf_split_args, size) - 0usize];
    ["Offset of field: spf_split_args::d_elements"]
        [::core::mem::offset_of!(spf_split_args, d_elements) - 8usize];
    ["Offset of field: spf_split_args::d_indices"]
        [::core::mem::offset_of!(spf_split_args, d_indices) - 16usize];
    ["Offset of field: spf_split_args::n_elements"]
        [::core::mem::offset_of!(spf_split_args, n_elements) - 24usize];
    ["Offset of field: spf_split_args::n"][::core::mem::offset_of!(spf_split_args, n) - 32usize];
    ["Offset of field: spf_split_args::d_ones"][::core::mem::offset_of!(spf_split_args, d_ones) - 40usize];
    ["Offset of field: spf_split_args::d_tail_terms"]
        [::core::mem::offset_of!(spf_split_args, d_tail_terms) - 48usize];
    ["Offset of field: spf_split_args::d_tail_scalars"]
        [::core::mem::offset_of!(spf_split_args, d_tail_scalars) - 56usize];
    ["Offset of field: spf_split_args::d_counts"]
        [::core::mem::offset_of!(spf_split_args, d_counts) - 64usize];
};
impl Default for spf_split_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_split_scalars_on(
        stream: *mut spf_stream,
        args: *const spf_split_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_expand_bits_on(
        stream: *mut spf_stream,
        d_words: *const u32,
        d_ranks: *const u32,
        n_words: u64,
        n_set: u64,
        d_indices: *mut u32,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fixed_base_g1_bytes(
        window_bits: u32,
        n_points: u64,
        table_bytes: *mut u64,
        workspace_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fixed_base_g2_bytes(
        window_bits: u32,
        n_points: u64,
        table_bytes: *mut u64,
        workspace_bytes: *mut u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fixed_base_g1_build_on(
        stream: *mut spf_stream,
        base: *const ::core::ffi::c_void,
        window_bits: u32,
        d_table: *mut ::core::ffi::c_void,
        table_bytes: u64,
        d_workspace: *mut ::core::ffi::c_void,
        workspace_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fixed_base_g2_build_on(
        stream: *mut spf_stream,
        base: *const ::core::ffi::c_void,
        window_bits: u32,
        d_table: *mut ::core::ffi::c_void,
        table_bytes: u64,
        d_workspace: *mut ::core::ffi::c_void,
        workspace_bytes: u64,
        error: *mut spf_error,
    ) -> i32;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct spf_fixed_base_args {
    pub size: u64,
    pub d_table: *const ::core::ffi::c_void,
    pub table_bytes: u64,
    pub d_scalars: *const ::core::ffi::c_void,
    pub d_points: *mut ::core::ffi::c_void,
    pub n_points: u64,
    pub window_bits: u32,
    pub scalars_are_montgomery: u32,
    pub d_workspace: *mut ::core::ffi::c_void,
    pub workspace_bytes: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of spf_fixed_base_args"][::core::mem::size_of::<spf_fixed_base_args>() - 72usize];
    ["Alignment of spf_fixed_base_args"][::core::mem::align_of::<spf_fixed_base_args>() - 8usize];
    ["Offset of field: spf_fixed_base_args::size"]
        [::core::mem::offset_of!(spf_fixed_base_args, size) - 0usize];
    ["Offset of field: spf_fixed_base_args::d_table"]
        [::core::mem::offset_of!(spf_fixed_base_args, d_table) - 8usize];
    ["Offset of field: spf_fixed_base_args::table_bytes"]
        [::core::mem::offset_of!(spf_fixed_base_args, table_bytes) - 16usize];
    ["Offset of field: spf_fixed_base_args::d_scalars"]
        [::core::mem::offset_of!(spf_fixed_base_args, d_scalars) - 24usize];
    ["Offset of field: spf_fixed_base_args::d_points"]
        [::core::mem::offset_of!(spf_fixed_base_args, d_points) - 32usize];
    ["Offset of field: spf_fixed_base_args::n_points"]
        [::core::mem::offset_of!(spf_fixed_base_args, n_points) - 40usize];
    ["Offset of field: spf_fixed_base_args::window_bits"]
        [::core::mem::offset_of!(spf_fixed_base_args, window_bits) - 48usize];
    ["Offset of field: spf_fixed_base_args::scalars_are_montgomery"]
        [::core::mem::offset_of!(spf_fixed_base_args, scalars_are_montgomery) - 52usize];
    ["Offset of field: spf_fixed_base_args::d_workspace"]
        [::core::mem::offset_of!(spf_fixed_base_args, d_workspace) - 56usize];
    ["Offset of field: spf_fixed_base_args::workspace_bytes"]
        [::core::mem::offset_of!(spf_fixed_base_args, workspace_bytes) - 64usize];
};
impl Default for spf_fixed_base_args {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn spf_fixed_base_g1_multiply_on(
        stream: *mut spf_stream,
        args: *const spf_fixed_base_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_fixed_base_g2_multiply_on(
        stream: *mut spf_stream,
        args: *const spf_fixed_base_args,
        error: *mut spf_error,
    ) -> i32;
}
unsafe extern "C" {
    pub fn spf_probe_on(
        stream: *mut spf_stream,
        set: u32,
        operation: u32,
        d_a: *const ::core::ffi::c_void,
        d_b: *const ::core::ffi::c_void,
        d_out: *mut ::core::ffi::c_void,
        n: u64,
        error: *mut spf_error,
    ) -> i32;
}

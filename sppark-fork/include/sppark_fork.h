/* The C ABI of sppark-fork. C types only; this file is the single input of the committed bindings (src/sys.rs).
 *
 * Rules, the same for every function (docs/ffi.md):
 *   - it returns SPF_OK or the kind of the error it wrote into *error, which the caller owns (error may be null);
 *   - nothing crosses but plain data: no C++ exception, no allocation to be freed by the other side, no thread;
 *   - an argument struct begins with its own size, so that a caller built against another header is told so;
 *   - counts and sizes are uint64_t; `_bytes` are bytes, `_ms` milliseconds; `d_` points into device memory, `h_` into host
 *     memory;
 *   - a function whose name ends in `_on` only enqueues on the stream it is given. Its buffers must stay alive, and unread,
 *     until the stream has passed that point. No other function enqueues anything;
 *   - work runs on the device of its stream; the calling thread's current device is left on that device.
 */
#ifndef SPPARK_FORK_H
#define SPPARK_FORK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define SPF_NOEXCEPT noexcept
#else
#define SPF_NOEXCEPT
#endif

#if defined(__GNUC__)
#define SPF_API __attribute__((visibility("default")))
#else
#define SPF_API
#endif

/* Raised by any change that an old caller would get wrong. */
#define SPF_ABI_VERSION 2u

/* Kinds of error. */
#define SPF_OK 0
#define SPF_NO_DEVICE 1      /* no driver, no device, or not this one */
#define SPF_OUT_OF_MEMORY 2  /* need_bytes and free_bytes say how far off */
#define SPF_LAUNCH 3         /* a kernel could not start: configuration, or no code for this device */
#define SPF_DEVICE 4         /* the device failed while it worked; its context answers nothing from here on */
#define SPF_INVALID 5        /* an argument is wrong; nothing was enqueued */
#define SPF_INTERNAL 6       /* anything else */

typedef struct spf_error {
    int32_t kind;
    int32_t code;  /* the CUDA runtime's code, 0 if the error is ours */
    uint32_t line; /* of the C++ source, for a report */
    uint32_t reserved;
    uint64_t need_bytes; /* SPF_OUT_OF_MEMORY */
    uint64_t free_bytes; /* SPF_OUT_OF_MEMORY; UINT64_MAX where it is not known */
    char text[224];      /* zero-terminated, shortened to fit */
} spf_error;

typedef struct spf_stream spf_stream;
typedef struct spf_event spf_event;

typedef struct spf_device_info {
    uint64_t size;
    uint64_t total_bytes;
    uint32_t major; /* compute capability */
    uint32_t minor;
    uint32_t n_multiprocessors;
    uint32_t clock_mhz; /* 0 where the driver does not say */
    uint64_t l2_bytes;
    uint64_t shared_bytes_per_block; /* at most, with opt-in */
    char name[128];
} spf_device_info;

/* Versions: of this ABI, of the CUDA runtime linked in, of the newest CUDA that the driver speaks (0: no driver). */
SPF_API uint32_t spf_abi_version(void) SPF_NOEXCEPT;
SPF_API int32_t spf_cuda_versions(uint32_t* runtime, uint32_t* driver, spf_error* error) SPF_NOEXCEPT;

/* Devices. A machine without a driver or a device answers SPF_NO_DEVICE, not zero devices. */
SPF_API int32_t spf_device_count(uint32_t* n_devices, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_device_get_info(uint32_t device, spf_device_info* info, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_device_memory(uint32_t device, uint64_t* free_bytes, uint64_t* total_bytes, spf_error* error)
    SPF_NOEXCEPT;
/* Waits for everything enqueued on the device, and reports what went wrong there since the last wait. */
SPF_API int32_t spf_device_synchronize(uint32_t device, spf_error* error) SPF_NOEXCEPT;

/* Streams: non-blocking, so that none is ordered after the default stream. Destroying one with work pending is allowed:
 * the work runs to its end. Where multiprocessors have room, blocks of urgent streams' kernels come first. */
SPF_API int32_t spf_stream_create(uint32_t device, uint32_t is_urgent, spf_stream** stream, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_stream_destroy(spf_stream* stream, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_stream_synchronize(spf_stream* stream, spf_error* error) SPF_NOEXCEPT;
/* *done = 1 if nothing is pending. */
SPF_API int32_t spf_stream_query(spf_stream* stream, uint32_t* done, spf_error* error) SPF_NOEXCEPT;
/* What is enqueued on `stream` after this waits for what was recorded into `event`. */
SPF_API int32_t spf_stream_wait_event_on(spf_stream* stream, spf_event* event, spf_error* error) SPF_NOEXCEPT;

/* Events. with_timing = 0 is cheaper. A never recorded event counts as passed. */
SPF_API int32_t spf_event_create(uint32_t device, uint32_t with_timing, spf_event** event, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_event_destroy(spf_event* event, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_event_record_on(spf_event* event, spf_stream* stream, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_event_synchronize(spf_event* event, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_event_query(spf_event* event, uint32_t* done, spf_error* error) SPF_NOEXCEPT;
/* Between two recorded events made with timing. */
SPF_API int32_t spf_event_elapsed_ms(spf_event* start, spf_event* stop, float* elapsed_ms, spf_error* error) SPF_NOEXCEPT;

/* Memory. Allocating and freeing are slow and may wait for the device: they belong to set-up, not to a proof. */
SPF_API int32_t spf_device_alloc(uint32_t device, uint64_t n_bytes, void** d_memory, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_device_free(uint32_t device, void* d_memory, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_pinned_alloc(uint32_t device, uint64_t n_bytes, void** h_memory, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_pinned_free(uint32_t device, void* h_memory, spf_error* error) SPF_NOEXCEPT;
/* Pins memory that the caller owns, for fast copies; it must be unregistered before it is freed. */
SPF_API int32_t spf_host_register(uint32_t device, void* h_memory, uint64_t n_bytes, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_host_unregister(uint32_t device, void* h_memory, spf_error* error) SPF_NOEXCEPT;

/* Copies. From or to pageable host memory a copy may hold up the calling thread; from or to pinned memory it does not. */
SPF_API int32_t spf_copy_to_device_on(spf_stream* stream, void* d_to, void const* h_from, uint64_t n_bytes,
                                      spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_copy_to_host_on(spf_stream* stream, void* h_to, void const* d_from, uint64_t n_bytes,
                                    spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_copy_on_device_on(spf_stream* stream, void* d_to, void const* d_from, uint64_t n_bytes,
                                      spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_fill_bytes_on(spf_stream* stream, void* d_memory, uint32_t byte, uint64_t n_bytes, spf_error* error)
    SPF_NOEXCEPT;
/* Keeps the stream busy for about so many microseconds: tests shift streams against each other with it. */
SPF_API int32_t spf_delay_on(spf_stream* stream, uint64_t microseconds, spf_error* error) SPF_NOEXCEPT;

/* ---- Number-theoretic transforms over Fr: 32-byte elements, Montgomery form, little-endian limbs, values below r. ----
 *
 *     forward:  A[k] = sum_i a[i] w^(ik)          inverse:  a[i] = 1/n sum_k A[k] w^(-ik)
 *
 * with w the 2^log_n-th root of unity 7^((r-1)/2^log_n). On the coset the forward transform evaluates at 7 w^k, and the
 * inverse undoes it. */

#define SPF_NTT_FORWARD 0u
#define SPF_NTT_INVERSE 1u

/* Orders of input and output: natural, or reversed (element i stands at the position whose log_n bits are those of i read
 * backwards). A transform that changes the order is the fastest; keeping it costs one more pass over the data. */
#define SPF_NTT_NATURAL_TO_NATURAL 0u
#define SPF_NTT_NATURAL_TO_REVERSED 1u
#define SPF_NTT_REVERSED_TO_NATURAL 2u
#define SPF_NTT_REVERSED_TO_REVERSED 3u

#define SPF_NTT_MAX_LOG_N 28u

/* Bytes of the table of twiddles for transforms up to 2^max_log_n; 0 if max_log_n is over SPF_NTT_MAX_LOG_N. */
SPF_API uint64_t spf_ntt_table_bytes(uint32_t max_log_n) SPF_NOEXCEPT;
/* Fills a table. Any number of streams may read it once this has run. */
SPF_API int32_t spf_ntt_table_build_on(spf_stream* stream, uint32_t max_log_n, void* d_table, uint64_t table_bytes,
                                       spf_error* error) SPF_NOEXCEPT;

typedef struct spf_ntt_args {
    uint64_t size;
    void* d_data; /* 2^log_n elements, transformed in place */
    void const* d_table;
    uint64_t table_bytes;
    uint32_t table_max_log_n;
    uint32_t log_n; /* 0 to table_max_log_n */
    uint32_t direction;
    uint32_t order;
    uint32_t on_coset; /* 0 or 1 */
    uint32_t most_bits_a_pass; /* 0: the best plan; otherwise 3 to 10, for tests of plans with many passes */
} spf_ntt_args;

SPF_API int32_t spf_ntt_run_on(spf_stream* stream, spf_ntt_args const* args, spf_error* error) SPF_NOEXCEPT;

/* The quotient of Groth16, h = (a b - c) / (x^n - 1), from the values of a and b on the domain, c = a b there.
 *
 * With g = 7: P, the interpolation of a b over the coset g D, is c's coefficients plus those of h times g^n - 1, so that
 * six transforms do: two to interpolate a and b, two to evaluate them on the coset, one for c, one for P.
 * Result: d_a holds h's n coefficients in natural order, Montgomery form (the last is zero for a satisfied circuit);
 * d_b and d_c are overwritten. In two steps, a is transformed while b may still be on its way: the first touches d_a and,
 * unless c is given, d_c. */
#define SPF_QUOTIENT_OF_A 1u
#define SPF_QUOTIENT_REST 2u
typedef struct spf_quotient_args {
    uint64_t size;
    void* d_a; /* in: values of a; out: coefficients of h */
    void* d_b; /* in: values of b */
    void* d_c; /* c_is_given: in: values of c; otherwise scratch of the same size */
    void const* d_table;
    uint64_t table_bytes;
    uint32_t table_max_log_n;
    uint32_t log_n;
    uint32_t c_is_given; /* 1: c's values stand in d_c and need not be a b */
    uint32_t steps; /* the one, the other, or both */
} spf_quotient_args;

SPF_API int32_t spf_poly_quotient_on(spf_stream* stream, spf_quotient_args const* args, spf_error* error) SPF_NOEXCEPT;

/* out[i] = a[i] b[i]; out may be a or b. */
SPF_API int32_t spf_poly_multiply_on(spf_stream* stream, void* d_out, void const* d_a, void const* d_b, uint64_t n_elements,
                                     spf_error* error) SPF_NOEXCEPT;

/* ---- Multi-scalar multiplication: sum_i s_i P_i over G1 or G2. ----
 *
 * Points: affine, Montgomery form, blst's layout (G1 96 bytes, G2 192), infinity as zeros; 16-byte aligned in device memory.
 * They may repeat, be each other's negatives, be infinity. Scalars: 32 bytes, little-endian; a canonical one of r or more
 * is taken modulo r. n_points = 0 gives infinity. */

/* Batches' results are added up while the next batch runs, or each batch is waited for; the bytes are the same. */
#define SPF_PIPPENGER_DEFERRED 0u
#define SPF_PIPPENGER_PER_BATCH 1u
/* How buckets are summed; the same bytes each way. */
#define SPF_ACCUMULATION_CHOSEN 0u   /* extended in G1; affine in G2 where all of a card's threads have pairs */
#define SPF_ACCUMULATION_EXTENDED 1u /* point by point, in extended coordinates */
#define SPF_ACCUMULATION_AFFINE 2u   /* first in pairs, affine, with shared inversions, where there are enough of them */

typedef struct spf_msm spf_msm;

typedef struct spf_msm_args {
    uint64_t size;
    void const* points;
    void const* scalars;
    uint32_t const* d_indices; /* null, or the number of scalar i's point among the n_bases points, which are on the device */
    uint64_t n_points;         /* = number of scalars */
    uint64_t n_bases;          /* read with d_indices only */
    uint32_t points_on_host;   /* 0: device memory */
    uint32_t scalars_on_host;
    uint32_t scalars_are_montgomery; /* 0: canonical */
    uint32_t points_in_subgroup;     /* 1: all points have order r, so the endomorphism may be used; 0 costs up to a tenth */
    uint32_t schedule;
    uint32_t window_bits;       /* of the widest window, 5 to 24; 0: chosen */
    uint64_t max_batch_points;  /* 0: chosen; batches bound the workspace */
    uint64_t max_group_entries; /* 0: chosen; the same for windows sorted at a time: about 16 bytes an entry */
    uint32_t n_multiprocessors; /* of the device: the launch plan follows it */
    uint32_t accumulation;
    void* d_workspace;
    uint64_t workspace_bytes;
} spf_msm_args;

/* One context an MSM in flight: a pinned buffer for results, a stream for uploads, events. With timing it measures how long
 * the device stood idle between batches. */
SPF_API int32_t spf_msm_create(uint32_t device, uint32_t with_timing, spf_msm** msm, spf_error* error) SPF_NOEXCEPT;
/* With an MSM in flight, waits for it. */
SPF_API int32_t spf_msm_destroy(spf_msm* msm, spf_error* error) SPF_NOEXCEPT;
/* Of the batches of the last MSM that were collected: milliseconds between the kernels of one and those of the next, together. */
SPF_API int32_t spf_msm_idle_ms(spf_msm* msm, float* idle_ms, spf_error* error) SPF_NOEXCEPT;
/* Needs no device; reads neither pointers' targets nor the workspace fields. */
SPF_API int32_t spf_msm_g1_workspace_bytes(spf_msm_args const* args, uint64_t* n_bytes, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_msm_g2_workspace_bytes(spf_msm_args const* args, uint64_t* n_bytes, spf_error* error) SPF_NOEXCEPT;
/* Enqueues an MSM. With one batch it returns at once; with more it returns when the last is enqueued. */
SPF_API int32_t spf_msm_g1_start_on(spf_msm* msm, spf_stream* stream, spf_msm_args const* args, spf_error* error)
    SPF_NOEXCEPT;
SPF_API int32_t spf_msm_g2_start_on(spf_msm* msm, spf_stream* stream, spf_msm_args const* args, spf_error* error)
    SPF_NOEXCEPT;
/* Waits for the MSM and writes the affine result. */
SPF_API int32_t spf_msm_g1_finish(spf_msm* msm, void* point, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_msm_g2_finish(spf_msm* msm, void* point, spf_error* error) SPF_NOEXCEPT;
/* Bytes that what was started last in the context copies over the bus, each way. */
SPF_API int32_t spf_msm_moved_bytes(spf_msm const* msm, uint64_t* to_device, uint64_t* to_host, spf_error* error)
    SPF_NOEXCEPT;

/* ---- Batch addition: the sum of points[i] over the set bits i of a bitmap (bit i % 32 of word i / 32). ----
 * The result is fetched with spf_msm_*_finish of the context it was started with. */
typedef struct spf_batch_add_args {
    uint64_t size;
    void const* points; /* affine, as for an MSM */
    uint32_t const* bitmap;
    uint64_t n_points;
    uint32_t points_on_host; /* 0: device memory */
    uint32_t bitmap_on_host;
    uint64_t max_batch_points; /* 0: chosen; bounds the workspace of streamed points */
    uint32_t n_multiprocessors;
    uint32_t reserved;
    void* d_workspace;
    uint64_t workspace_bytes;
} spf_batch_add_args;

SPF_API int32_t spf_batch_add_g1_workspace_bytes(spf_batch_add_args const* args, uint64_t* n_bytes, spf_error* error)
    SPF_NOEXCEPT;
SPF_API int32_t spf_batch_add_g2_workspace_bytes(spf_batch_add_args const* args, uint64_t* n_bytes, spf_error* error)
    SPF_NOEXCEPT;
SPF_API int32_t spf_batch_add_g1_start_on(spf_msm* msm, spf_stream* stream, spf_batch_add_args const* args,
                                          spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_batch_add_g2_start_on(spf_msm* msm, spf_stream* stream, spf_batch_add_args const* args,
                                          spf_error* error) SPF_NOEXCEPT;

/* ---- Scalars by kind: zeros left out, ones as a bitmap for batch addition, the rest as a list for an MSM. ---- */
typedef struct spf_split_args {
    uint64_t size;
    void const* d_elements;     /* Montgomery form, canonical */
    uint32_t const* d_indices;  /* null, or the number of term j's element: each below n_elements */
    uint64_t n_elements;
    uint64_t n;                 /* terms, below 2^32 */
    uint32_t* d_ones;           /* ceil(n / 32) words: bit j % 32 of word j / 32 says that term j is one */
    uint32_t* d_tail_terms;     /* the j of terms that are neither zero nor one, in any order; room for n */
    void* d_tail_scalars;       /* their elements; room for n */
    uint32_t* d_counts;         /* two: terms in the tail, ones */
} spf_split_args;

SPF_API int32_t spf_split_scalars_on(spf_stream* stream, spf_split_args const* args, spf_error* error) SPF_NOEXCEPT;
/* d_indices = the numbers of the set bits, ascending; d_ranks[w] = how many are set before word w; n_set = how many in all. */
SPF_API int32_t spf_expand_bits_on(spf_stream* stream, uint32_t const* d_words, uint32_t const* d_ranks, uint64_t n_words,
                                   uint64_t n_set, uint32_t* d_indices, spf_error* error) SPF_NOEXCEPT;

/* ---- Fixed-base multiplication: s_i B for many scalars, as affine points in device memory. ----
 * The table holds the multiples of B for windows of window_bits (5 to 20; 16 makes 50 MB for G1, 101 MB for G2). */
/* Bytes of the table, and of a workspace for n_points products (or table entries) at full speed; a smaller one does too, in
 * more and smaller steps. */
SPF_API int32_t spf_fixed_base_g1_bytes(uint32_t window_bits, uint64_t n_points, uint64_t* table_bytes,
                                        uint64_t* workspace_bytes, spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_fixed_base_g2_bytes(uint32_t window_bits, uint64_t n_points, uint64_t* table_bytes,
                                        uint64_t* workspace_bytes, spf_error* error) SPF_NOEXCEPT;
/* base: one affine point in host memory, read before the call returns. */
SPF_API int32_t spf_fixed_base_g1_build_on(spf_stream* stream, void const* base, uint32_t window_bits, void* d_table,
                                           uint64_t table_bytes, void* d_workspace, uint64_t workspace_bytes,
                                           spf_error* error) SPF_NOEXCEPT;
SPF_API int32_t spf_fixed_base_g2_build_on(spf_stream* stream, void const* base, uint32_t window_bits, void* d_table,
                                           uint64_t table_bytes, void* d_workspace, uint64_t workspace_bytes,
                                           spf_error* error) SPF_NOEXCEPT;

typedef struct spf_fixed_base_args {
    uint64_t size;
    void const* d_table;
    uint64_t table_bytes;
    void const* d_scalars;
    void* d_points; /* out */
    uint64_t n_points;
    uint32_t window_bits;
    uint32_t scalars_are_montgomery;
    void* d_workspace;
    uint64_t workspace_bytes;
} spf_fixed_base_args;

SPF_API int32_t spf_fixed_base_g1_multiply_on(spf_stream* stream, spf_fixed_base_args const* args, spf_error* error)
    SPF_NOEXCEPT;
SPF_API int32_t spf_fixed_base_g2_multiply_on(spf_stream* stream, spf_fixed_base_args const* args, spf_error* error)
    SPF_NOEXCEPT;

/* ---- Probes: single operations of the templates, applied to arrays in device memory, for tests. ----
 * out[i] = op(a[i], b[i]); one-operand operations ignore b. Operations, in order from 0:
 *   FP, FR, FP2:      a+b, a-b, a b, a^2, 2a, -a, 1/a (0 for 0), a b - b^2, [a = 0]
 *   FP_FORM, FR_FORM: element to canonical integer, and back
 *   G1, G2:           affine a+b by xyzz+affine, by xyzz+xyzz; 2a by xyzz; a+b by jacobian+affine, by jacobian+jacobian;
 *                     2a by jacobian; (beta x, y)
 *   SPLIT:            32-byte scalars to two halves of { 32-byte magnitude, 4-byte sign }: one half only; by the endomorphism */
#define SPF_PROBE_FP 0u
#define SPF_PROBE_FR 1u
#define SPF_PROBE_FP2 2u
#define SPF_PROBE_FP_FORM 3u
#define SPF_PROBE_FR_FORM 4u
#define SPF_PROBE_G1 5u
#define SPF_PROBE_G2 6u
#define SPF_PROBE_SPLIT 7u

SPF_API int32_t spf_probe_on(spf_stream* stream, uint32_t set, uint32_t operation, void const* d_a, void const* d_b,
                             void* d_out, uint64_t n, spf_error* error) SPF_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif

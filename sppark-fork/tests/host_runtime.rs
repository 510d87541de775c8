//! The runtime on fake devices: what is owned is freed, what fails is an error, what is unordered is found.
#![cfg(feature = "host-check")]

use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, OUT_OF_MEMORY};
use sppark_fork::{
    CudaError, Device, DeviceBuf, Event, NttDirection, NttOrder, NttTable, PinnedPool, QuotientInput, Result,
    Stream, Workspace,
};

const MIB: u64 = 1 << 20;

/// One of everything, with copies both ways over two streams.
fn use_everything(fake: FakeDevice) -> Result<Vec<u64>> {
    let device = Device::open(fake.ordinal)?;
    let (upload, compute) = (Stream::new(&device)?, Stream::new(&device)?);
    let pool = PinnedPool::new(&device, 64 * MIB);
    let mut input = pool.get::<u64>(1000)?;
    for (i, value) in input.iter_mut().enumerate() {
        *value = i as u64;
    }
    let mut first = DeviceBuf::<u64>::alloc(&device, 1000)?;
    let mut second = DeviceBuf::<u64>::alloc(&device, 1000)?;
    let mut workspace = Workspace::new(&device, 4096)?;
    workspace.reserve(8192)?;
    let uploaded = Event::with_timing(&device)?;
    // SAFETY: the pool keeps `input` until the event recorded next has passed, and nothing writes it.
    unsafe { first.upload_on(&upload, 0, &input)? };
    input.record_last_use(&upload)?;
    drop(input);
    uploaded.record_on(&upload)?;
    compute.wait_for(&uploaded)?;
    second.copy_from_on(&compute, &first)?;
    compute.delay_on(1)?;
    let mut output = vec![0; 1000];
    second.download(&compute, 0, &mut output)?;
    device.synchronize()?;
    let _ = (
        device.memory()?,
        upload.is_done()?,
        uploaded.is_done()?,
        uploaded.elapsed_ms_since(&uploaded)?,
    );
    drop(pool);
    device.take_dropped_error().map_or(Ok(output), Err)
}

#[test]
fn everything_works_and_nothing_is_left() {
    for seed in 0..12 {
        let fake = FakeDevice::new(64 * MIB, seed);
        assert_eq!(
            use_everything(fake).unwrap(),
            (0..1000).collect::<Vec<u64>>(),
            "seed {seed}"
        );
        assert_eq!(
            (fake.alive(), fake.hazards(), fake.bytes()),
            (0, 0, 0),
            "{}",
            fake.describe()
        );
    }
}

/// Makes every call of `work` fail once, with `code`: a typed error each time, and nothing left behind.
fn every_call_may_fail(total_bytes: u64, code: i32, work: impl Fn(FakeDevice) -> Result<()>) {
    let mut n = 0;
    loop {
        n += 1;
        let fake = FakeDevice::new(total_bytes, n);
        fake.fail_at(n, code);
        let result = work(fake);
        let n_calls = fake.calls();
        assert_eq!(fake.alive(), 0, "call {n} failed, {}", fake.describe());
        assert_eq!(fake.hazards(), 0, "call {n} failed, {}", fake.describe());
        if n_calls < n {
            result.unwrap();
            break;
        }
        match (code, result.unwrap_err()) {
            (OUT_OF_MEMORY, CudaError::OutOfMemory { .. }) | (ILLEGAL_ADDRESS, CudaError::Device { .. }) => {}
            (_, error) => panic!("call {n} failed with code {code}: {error:?}"),
        }
    }
    assert!(n > 5, "{n} calls were reached");
}

#[test]
fn a_failure_at_any_call_is_an_error_and_leaks_nothing() {
    for code in [OUT_OF_MEMORY, ILLEGAL_ADDRESS] {
        every_call_may_fail(64 * MIB, code, |fake| use_everything(fake).map(|_| ()));
    }
}

#[test]
fn a_failure_at_any_call_of_the_transforms_is_an_error_and_leaks_nothing() {
    // Each launch counts: some 80 for the table of a small size, a dozen for the quotient.
    for code in [OUT_OF_MEMORY, ILLEGAL_ADDRESS] {
        every_call_may_fail(64 * MIB, code, |fake| {
            let device = Device::open(fake.ordinal)?;
            let stream = Stream::new(&device)?;
            let table = NttTable::new(&stream, 2)?;
            let mut buffers = [0, 1, 2].map(|_| DeviceBuf::from_slice(&stream, &[[1u32; 8]; 4]));
            let [Ok(a), Ok(b), Ok(c)] = &mut buffers else {
                return Err(buffers.into_iter().find_map(Result::err).unwrap());
            };
            table.run_on(
                &stream,
                a,
                NttDirection::Inverse,
                NttOrder::NaturalToNatural,
                true,
            )?;
            table.quotient_on(&stream, a, b, c, QuotientInput::ProductOfAB)?;
            stream.synchronize()
        });
    }
}

#[test]
fn an_allocation_that_does_not_fit_says_how_far_off_it_is() {
    let fake = FakeDevice::new(10 * MIB, 0);
    let device = Device::open(fake.ordinal).unwrap();
    let kept = DeviceBuf::<u8>::alloc(&device, 4 << 20).unwrap();
    match DeviceBuf::<u64>::alloc(&device, 1 << 20).unwrap_err() {
        CudaError::OutOfMemory {
            need_bytes,
            free_bytes,
            what,
        } => {
            assert_eq!((need_bytes, free_bytes), (8 * MIB, Some(6 * MIB)));
            assert!(what.contains("8388608") && what.contains("6291456"), "{what}");
        }
        error => panic!("{error:?}"),
    }
    // The device is as good as before, and the books are right.
    drop(DeviceBuf::<u8>::alloc(&device, 6 << 20).unwrap());
    let memory = device.memory().unwrap();
    assert_eq!(
        (memory.allocated_bytes, memory.peak_bytes, memory.free_bytes),
        (4 * MIB, 10 * MIB, 6 * MIB)
    );
    device.reset_peak();
    assert_eq!(device.memory().unwrap().peak_bytes, 4 * MIB);
    drop(kept);
    assert!(matches!(
        DeviceBuf::<u64>::alloc(&device, usize::MAX),
        Err(CudaError::Invalid { .. })
    ));
}

#[test]
fn a_lost_device_stays_lost_and_drops_record_it() {
    let fake = FakeDevice::new(MIB, 0);
    let device = Device::open(fake.ordinal).unwrap();
    let stream = Stream::new(&device).unwrap();
    let buffer = DeviceBuf::from_slice(&stream, &[1u32, 2, 3]).unwrap();
    assert_eq!(device.take_dropped_error(), None);
    fake.fail_at(1, ILLEGAL_ADDRESS);
    let lost = stream.synchronize().unwrap_err();
    assert!(
        lost.is_sticky() && lost.to_string().contains("cudaErrorIllegalAddress"),
        "{lost}"
    );
    let n_calls = fake.calls();
    assert_eq!(device.memory().unwrap_err(), lost);
    assert_eq!(Stream::new(&device).unwrap_err(), lost);
    assert_eq!(fake.calls(), n_calls, "a poisoned device is not asked again");
    drop((buffer, stream));
    assert!(device.take_dropped_error().is_some_and(|error| error.is_sticky()));
    assert_eq!(device.take_dropped_error(), None);
    assert_eq!(fake.alive(), 0, "{}", fake.describe());
}

#[test]
fn a_device_that_is_lost_on_purpose_is_as_lost_as_any_and_frees_all() {
    let fake = FakeDevice::new(MIB, 0);
    let device = Device::open(fake.ordinal).unwrap();
    let stream = Stream::new(&device).unwrap();
    let mut buffer = DeviceBuf::<u8>::alloc(&device, 64).unwrap();
    device.lose();
    let lost = stream.synchronize().unwrap_err();
    assert!(lost.is_sticky(), "{lost}");
    assert_eq!(buffer.fill_bytes_on(&stream, 7).unwrap_err(), lost);
    drop((buffer, stream));
    assert_eq!(device.take_dropped_error(), None);
    assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
}

#[test]
fn a_missing_event_between_two_streams_is_found() {
    for (with_event, hazards) in [(true, 0), (false, 1)] {
        let fake = FakeDevice::new(MIB, 2);
        let device = Device::open(fake.ordinal).unwrap();
        let (one, other) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
        let mut source = DeviceBuf::<u8>::alloc(&device, 64).unwrap();
        let mut target = DeviceBuf::<u8>::alloc(&device, 64).unwrap();
        source.fill_bytes_on(&one, 7).unwrap();
        if with_event {
            let event = Event::new(&device).unwrap();
            event.record_on(&one).unwrap();
            other.wait_for(&event).unwrap();
        }
        target.copy_from_on(&other, &source).unwrap();
        assert_eq!(fake.hazards(), hazards, "{}", fake.describe());
        assert_eq!(fake.describe().contains("with no event between"), !with_event);
    }
}

/// No event orders two devices: between them, the host waits.
#[test]
fn a_missing_wait_between_two_devices_is_found() {
    for (with_wait, hazards) in [(true, 0), (false, 1)] {
        let fakes = [0, 2].map(|seed| FakeDevice::new(MIB, seed));
        let devices = fakes.map(|fake| Device::open(fake.ordinal).unwrap());
        let [from, to] = [0, 1].map(|i| Stream::new(&devices[i]).unwrap());
        let source = DeviceBuf::from_slice(&from, &[7u64; 100]).unwrap();
        let mut target = DeviceBuf::<u64>::alloc(&devices[1], 100).unwrap();
        let pool = PinnedPool::new(&devices[0], MIB);
        let mut between = pool.get::<u64>(100).unwrap();
        // SAFETY: the memory is kept until both streams have been waited for.
        unsafe { source.download_on(&from, 0, &mut between) }.unwrap();
        if with_wait {
            from.synchronize().unwrap();
        }
        // SAFETY: as above.
        unsafe { target.upload_on(&to, 0, &between) }.unwrap();
        assert_eq!(fakes[1].hazards(), hazards, "{}", fakes[1].describe());
        from.synchronize().unwrap();
        // The memory is another device's, and no less page-locked: it is read when the copy runs.
        between.fill(8);
        let mut values = [0; 100];
        target.download(&to, 0, &mut values).unwrap();
        assert_eq!(values, [8; 100]);
        // SAFETY: the pool waits for nobody, and is told so.
        unsafe { target.upload_on(&to, 0, &between) }.unwrap();
        drop((between, pool));
        assert!(fakes[1]
            .describe()
            .contains("pinned memory is freed while a copy"));
        drop((source, target, from, to));
        assert_eq!(fakes.map(FakeDevice::alive), [0, 0]);
    }
}

#[test]
fn kernels_are_ordered_too() {
    let fake = FakeDevice::new(64 * MIB, 2);
    let device = Device::open(fake.ordinal).unwrap();
    let (one, other) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
    let table = NttTable::new(&one, 3).unwrap();
    let mut data = DeviceBuf::from_slice(&one, &[[1u32; 8]; 8]).unwrap();
    table
        .run_on(
            &one,
            &mut data,
            NttDirection::Forward,
            NttOrder::NaturalToReversed,
            false,
        )
        .unwrap();
    assert_eq!(fake.hazards(), 0, "{}", fake.describe());
    table
        .run_on(
            &other,
            &mut data,
            NttDirection::Inverse,
            NttOrder::ReversedToNatural,
            false,
        )
        .unwrap();
    assert!(fake.hazards() > 0);
    assert!(
        fake.describe()
            .contains("stream 1 (launching a kernel) reads bytes that stream 0"),
        "{}",
        fake.describe()
    );
}

#[test]
fn pinned_blocks_come_back_only_after_their_last_use() {
    let fake = FakeDevice::new(MIB, 0); // pending work runs at the last moment
    let device = Device::open(fake.ordinal).unwrap();
    let stream = Stream::new(&device).unwrap();
    let pool = PinnedPool::new(&device, 3 * 4096);
    let mut target = DeviceBuf::<u64>::alloc(&device, 512).unwrap();

    let mut busy = pool.get::<u64>(512).unwrap();
    busy.fill(42);
    let address = busy.as_ptr();
    // SAFETY: the pool keeps the block until the event recorded next has passed.
    unsafe { target.upload_on(&stream, 0, &busy).unwrap() };
    busy.record_last_use(&stream).unwrap();
    drop(busy);
    let mut next = pool.get::<u64>(512).unwrap();
    assert_ne!(next.as_ptr(), address, "the first block's copy is still pending");
    next.fill(0);
    let mut result = vec![0; 512];
    target.download(&stream, 0, &mut result).unwrap();
    assert_eq!(result, [42; 512]);
    let again = pool.get::<u64>(512).unwrap();
    assert_eq!(again.as_ptr(), address, "and now it has passed");
    assert_eq!(again[..], [0; 512]);

    // Within the budget: two are in use, one more fits, a fourth does not.
    let third = pool.get::<u8>(1).unwrap();
    match pool.get::<u8>(1).unwrap_err() {
        CudaError::OutOfMemory {
            need_bytes,
            free_bytes,
            ..
        } => assert_eq!((need_bytes, free_bytes), (4096, Some(0))),
        error => panic!("{error:?}"),
    }
    // A block of another size at rest makes room.
    drop((third, next));
    assert_eq!(pool.pinned_bytes(), 3 * 4096);
    drop(pool.get::<u8>(8192).unwrap());
    assert_eq!(pool.pinned_bytes(), 3 * 4096);
    drop((again, pool));
    drop((target, stream));
    assert_eq!((fake.alive(), fake.hazards()), (0, 0), "{}", fake.describe());
}

#[test]
fn the_fake_finds_what_a_card_would_not_say() {
    // A copy outside its buffer.
    let fake = FakeDevice::new(MIB, 0);
    let device = Device::open(fake.ordinal).unwrap();
    let stream = Stream::new(&device).unwrap();
    let mut buffer = DeviceBuf::<u8>::alloc(&device, 16).unwrap();
    for (at, len) in [(0, 17), (16, 1), (usize::MAX, 2)] {
        let error = buffer.upload(&stream, at, &vec![0; len]).unwrap_err();
        assert!(matches!(error, CudaError::Invalid { .. }), "{error}");
    }
    assert_eq!(fake.hazards(), 0, "the safe layer stops it first");
    // Device memory is not zero by accident.
    let mut bytes = [0; 16];
    buffer.download(&stream, 0, &mut bytes).unwrap();
    assert_ne!(bytes, [0; 16]);
}

#[test]
fn devices_that_are_not_there_are_named() {
    let fake = FakeDevice::new(MIB, 0);
    let error = Device::open(fake.ordinal + 1000).unwrap_err();
    assert!(matches!(error, CudaError::NoDevice { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains(&format!("device {}", fake.ordinal + 1000)),
        "{error}"
    );
}

/// Several threads on one device, each with its stream and buffers.
#[test]
fn threads_share_a_device() {
    let fake = FakeDevice::new(256 * MIB, 2);
    let device = Device::open(fake.ordinal).unwrap();
    let table = NttTable::new(&Stream::new(&device).unwrap(), 6).unwrap();
    std::thread::scope(|scope| {
        for value in 1..5u32 {
            let (device, table) = (&device, &table);
            scope.spawn(move || {
                let stream = Stream::new(device).unwrap();
                let input = vec![[value; 8]; 64];
                let mut data = DeviceBuf::from_slice(&stream, &input).unwrap();
                table
                    .run_on(
                        &stream,
                        &mut data,
                        NttDirection::Forward,
                        NttOrder::NaturalToReversed,
                        true,
                    )
                    .unwrap();
                table
                    .run_on(
                        &stream,
                        &mut data,
                        NttDirection::Inverse,
                        NttOrder::ReversedToNatural,
                        true,
                    )
                    .unwrap_or(());
                table
                    .run_on(
                        &stream,
                        &mut data,
                        NttDirection::Forward,
                        NttOrder::NaturalToReversed,
                        false,
                    )
                    .unwrap();
                stream.synchronize().unwrap();
            });
        }
    });
    drop(table);
    assert_eq!((fake.alive(), fake.hazards()), (0, 0), "{}", fake.describe());
}

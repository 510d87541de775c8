//! Times the transforms on device 0 with events: one CSV line a case, medians of many runs.
//!
//! `cargo bench -p sppark-fork --features cuda --bench device_ntt -- [LOG_N ...]`

fn main() -> sppark_fork::Result<()> {
    use sppark_fork::{Device, DeviceBuf, NttDirection, NttOrder, NttTable, QuotientInput, Stream};

    let logs: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let logs = if logs.is_empty() {
        vec![10, 16, 20, 22, 24, 26, 27]
    } else {
        logs
    };
    let Some(device) = sppark_fork::require_gpu() else {
        return Ok(());
    };
    let info = device.info();
    println!(
        "# {}, {} multiprocessors, {} MHz",
        info.name, info.n_multiprocessors, info.clock_mhz
    );
    println!("what,log_n,median_ms,best_ms,runs");
    let stream = Stream::new(&device)?;
    let table = NttTable::new(&stream, *logs.iter().max().unwrap_or(&10))?;
    for log_n in logs {
        let n = 1usize << log_n;
        // Values below r whose limbs look random: times on zeros would flatter.
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let values: Vec<[u32; 8]> = (0..n)
            .map(|_| {
                std::array::from_fn(|limb| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let word = (state >> 32) as u32;
                    if limb == 7 {
                        word >> 2
                    } else {
                        word
                    }
                })
            })
            .collect();
        let mut a = DeviceBuf::from_slice(&stream, &values)?;
        let forward = NttDirection::Forward;
        let inverse = NttDirection::Inverse;
        for (name, direction, order, on_coset) in [
            (
                "forward natural to reversed",
                forward,
                NttOrder::NaturalToReversed,
                false,
            ),
            (
                "inverse natural to reversed",
                inverse,
                NttOrder::NaturalToReversed,
                false,
            ),
            (
                "forward reversed to natural",
                forward,
                NttOrder::ReversedToNatural,
                false,
            ),
            (
                "coset inverse natural to reversed",
                inverse,
                NttOrder::NaturalToReversed,
                true,
            ),
            (
                "forward natural to natural",
                forward,
                NttOrder::NaturalToNatural,
                false,
            ),
        ] {
            time(&device, &stream, name, log_n, || {
                table.run_on(&stream, &mut a, direction, order, on_coset)
            })?;
        }
        let mut b = DeviceBuf::from_slice(&stream, &values)?;
        let mut c = DeviceBuf::<[u32; 8]>::alloc(&device, n)?;
        time(&device, &stream, "quotient", log_n, || {
            table.quotient_on(&stream, &mut a, &mut b, &mut c, QuotientInput::ProductOfAB)
        })?;
    }
    return Ok(());

    fn time(
        device: &std::sync::Arc<Device>,
        stream: &Stream,
        name: &str,
        log_n: u32,
        mut work: impl FnMut() -> sppark_fork::Result<()>,
    ) -> sppark_fork::Result<()> {
        use sppark_fork::Event;
        let runs = if log_n > 24 { 9 } else { 25 };
        let (start, stop) = (Event::with_timing(device)?, Event::with_timing(device)?);
        work()?;
        let mut times = Vec::new();
        for _ in 0..runs {
            start.record_on(stream)?;
            work()?;
            stop.record_on(stream)?;
            stop.synchronize()?;
            times.push(stop.elapsed_ms_since(&start)?);
        }
        times.sort_by(f32::total_cmp);
        println!("{name},{log_n},{:.4},{:.4},{runs}", times[runs / 2], times[0]);
        Ok(())
    }
}

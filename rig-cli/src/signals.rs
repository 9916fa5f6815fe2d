//! Ctrl-C and TERM: they break off what is waited for, and the command winds down by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::node::Interrupt;

const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// Watches for signals from now on.
#[derive(Clone)]
pub(crate) struct Signals {
    interrupt: Arc<Interrupt>,
    seen: Arc<AtomicU8>,
}

impl Signals {
    /// Starts a thread that breaks off what is waited for at the first Ctrl-C or TERM. At the second
    /// the process ends at once. Where the thread cannot be started the first one ends it, as ever.
    pub(crate) fn watch(interrupt: Arc<Interrupt>) -> Self {
        let signals = Self { interrupt, seen: Arc::default() };
        let watcher = signals.clone();
        let (ready, wait) = std::sync::mpsc::channel();
        let started = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || watcher.run(&ready))
            .is_ok();
        if started {
            // Until the handlers are in place a signal would end the process.
            let _ = wait.recv();
        }
        signals
    }

    /// The number of the signal that came first.
    pub(crate) fn seen(&self) -> Option<u8> {
        Some(self.seen.load(Ordering::SeqCst)).filter(|&number| number != 0)
    }

    fn run(&self, ready: &std::sync::mpsc::Sender<()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let interrupt = signal(SignalKind::interrupt());
            let terminate = signal(SignalKind::terminate());
            let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else { return };
            let _ = ready.send(());
            loop {
                let number = tokio::select! {
                    _ = interrupt.recv() => INTERRUPT,
                    _ = terminate.recv() => TERMINATE,
                };
                let first =
                    self.seen.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
                if first.is_err() {
                    std::process::exit(128 + i32::from(number));
                }
                self.interrupt.set();
            }
        });
    }
}

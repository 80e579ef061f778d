//! A dump that is read on a thread of its own, while the computations before are counted.

use std::io::{self, BufRead};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use crate::body::Body;
use crate::dump::HloDump;
use crate::unread::HloReading;
use crate::{HloComputation, HloModule};

/// The bytes of text from which on computations are handed over.
const BATCH: usize = 1 << 18;

/// A computation whose text is a part of that of its batch; it begins at `start` in that of the dump.
struct DetachedComputation {
    module: HloModule,
    body: Body,
    text: Range<usize>,
    start: usize,
}

/// Computations that are handed over together, and the bytes that were read by then.
#[derive(Default)]
struct Batch {
    computations: Vec<DetachedComputation>,
    text: String,
    bytes: u64,
}

impl<R: BufRead + Send> HloDump<R> {
    /// Reads the rest of the dump on a thread of its own, and calls `each` on this one with every computation and the number of
    /// bytes that were read by then; returns the parts that could not be read.
    ///
    /// Law: the computations are those of [`next_computation`](HloDump::next_computation), in the same order.
    /// Cost: the longer of reading and `each`; memory for four batches, each of 256 KiB and at most one computation more.
    ///
    /// # Errors
    /// Those of the input, after the computations before; inside, the first error of `each`, which ends the reading.
    ///
    /// # Example
    /// ```
    /// use tensor_layout_hlo::HloDump;
    /// let text = "add {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, x)\n}\n";
    /// let mut instructions = 0;
    /// let reading = HloDump::new(text.as_bytes()).read_ahead(|computation, _| {
    ///     instructions += computation.len();
    ///     Ok::<(), ()>(())
    /// })?;
    /// assert!(reading.is_ok_and(|reading| reading.count == 0) && instructions == 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_ahead<E>(
        self,
        mut each: impl FnMut(HloComputation<'_>, u64) -> Result<(), E>,
    ) -> io::Result<Result<HloReading, E>> {
        let (sender, receiver) = sync_channel(1);
        let (returned, read) = channel();
        thread::scope(|scope| {
            // Where nobody receives any more, `each` failed. The thread that allocated a batch frees it: where another one
            // does, both wait for each other in the allocator, a fifth of the time.
            let send = move |batch| {
                read.try_iter().for_each(drop::<Batch>);
                sender.send(batch).is_ok()
            };
            let reader = thread::Builder::new().spawn_scoped(scope, || self.hand_over(send))?;
            for batch in receiver {
                for DetachedComputation { module, body, text, start } in &batch.computations {
                    let text = batch.text.get(text.clone()).unwrap_or_default();
                    let computation = HloComputation::new(module, body, text, *start);
                    if let Err(error) = each(computation, batch.bytes) {
                        return Ok(Err(error));
                    }
                }
                // The reader may have ended.
                drop(returned.send(batch));
            }
            reader.join().unwrap_or_else(|panic| resume_unwind(panic)).map(Ok)
        })
    }

    fn hand_over(mut self, mut send: impl FnMut(Batch) -> bool) -> io::Result<HloReading> {
        loop {
            let mut batch = Batch { text: String::with_capacity(BATCH), ..Batch::default() };
            let ended = self.fill_batch(&mut batch);
            batch.bytes = self.bytes();
            let goes_on = send(batch);
            if ended? || !goes_on {
                return Ok(self.reading().clone());
            }
        }
    }

    /// Reads about as much text as a batch has; returns whether the text has ended.
    fn fill_batch(&mut self, batch: &mut Batch) -> io::Result<bool> {
        while batch.text.len() < BATCH {
            if self.next_computation()?.is_none() {
                return Ok(true);
            }
            let (start, before) = (self.body.name.start, batch.text.len());
            batch.text.push_str(self.stream.text.get(start..self.at).unwrap_or_default());
            let (module, body) = (self.module.clone(), self.body.detach());
            let text = before..batch.text.len();
            batch.computations.push(DetachedComputation { module, body, text, start });
        }
        Ok(false)
    }
}

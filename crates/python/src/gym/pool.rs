//! Threads that advance worlds together.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::slot::Slot;
use super::view::View;

/// Places of worlds, and threads that advance them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    /// Threads beside the caller's, started with the first step of more than one world.
    workers: Vec<JoinHandle<()>>,
    threads: usize,
}

/// What the threads of a pool share.
struct Shared {
    view: View,
    places: Vec<Mutex<Place>>,
    round: Mutex<Round>,
    /// Wakes the workers when a round begins.
    begun: Condvar,
    /// Wakes the caller when the last place of a round is done.
    done: Condvar,
}

/// Place of a world.
#[derive(Default)]
struct Place {
    slot: Option<Slot>,
    /// True if the world is left out of this round.
    waits: bool,
    /// Message of the panic that ended the world.
    failure: Option<String>,
}

/// Progress of a round, in which each world advances by a step.
struct Round {
    /// First place that no thread has taken.
    next: usize,
    /// Number of places that are done.
    done: usize,
    /// True once the workers shall end.
    closing: bool,
}

impl Pool {
    /// Creates `count` empty places.
    pub(crate) fn new(count: usize, view: View, threads: Option<usize>) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores).clamp(1, count);
        let shared = Shared {
            view,
            places: (0..count).map(|_| Mutex::default()).collect(),
            round: Mutex::new(Round { next: count, done: count, closing: false }),
            begun: Condvar::new(),
            done: Condvar::new(),
        };
        Self { shared: Arc::new(shared), workers: Vec::new(), threads }
    }

    /// Puts a world in a place.
    pub(crate) fn put(&mut self, world: usize, slot: Slot) {
        *lock(&self.shared.places[world]) = Place { slot: Some(slot), ..Place::default() };
    }

    /// Result of `work` with the world in a place; `None` if the place is empty.
    pub(crate) fn with<T>(&self, world: usize, work: impl FnOnce(&mut Slot) -> T) -> Option<T> {
        lock(&self.shared.places[world]).slot.as_mut().map(work)
    }

    /// Advances all worlds that are not over by a step, except those of `wait`.
    ///
    /// # Errors
    /// Message of a panic. The world that has panicked is lost.
    pub(crate) fn advance(&mut self, wait: &[usize]) -> Result<(), String> {
        for world in wait {
            lock(&self.shared.places[*world]).waits = true;
        }
        if self.threads == 1 {
            (0..self.shared.places.len()).for_each(|place| self.shared.advance(place));
        } else {
            self.hire();
            self.shared.lead();
        }
        let mut failures = self.shared.places.iter().filter_map(|it| lock(it).failure.take());
        failures.next().map_or(Ok(()), Err)
    }

    fn hire(&mut self) {
        while self.workers.len() + 1 < self.threads {
            let shared = Arc::clone(&self.shared);
            self.workers.push(thread::spawn(move || shared.serve()));
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.round).closing = true;
        self.shared.begun.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of worlds, so that it ends only here.
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn advance(&self, place: usize) {
        let mut place = lock(&self.places[place]);
        let Place { slot, waits, failure } = &mut *place;
        if std::mem::take(waits) {
            return;
        }
        if let Some(world) = slot.as_mut().filter(|it| !it.is_over())
            && let Err(sentence) = world.advance(&self.view)
        {
            *failure = Some(sentence);
            *slot = None;
        }
    }

    /// Runs a round: takes places as the workers do, and waits for the last one.
    fn lead(&self) {
        let mut round = lock(&self.round);
        (round.next, round.done) = (0, 0);
        self.begun.notify_all();
        round = self.take_places(round);
        while round.done < self.places.len() {
            round = self.done.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes places in each round, until the pool closes.
    fn serve(&self) {
        let mut round = lock(&self.round);
        while !round.closing {
            round = self.take_places(round);
            if round.next >= self.places.len() && !round.closing {
                round = self.begun.wait(round).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Takes places and advances their worlds, as long as there are any in this round.
    fn take_places<'m>(&'m self, mut round: MutexGuard<'m, Round>) -> MutexGuard<'m, Round> {
        while round.next < self.places.len() {
            let place = round.next;
            round.next += 1;
            drop(round);
            self.advance(place);
            round = lock(&self.round);
            round.done += 1;
            if round.done == self.places.len() {
                self.done.notify_one();
            }
        }
        round
    }
}

/// Locks a mutex. What it guards is whole even if a thread has panicked: a world's panic is caught.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

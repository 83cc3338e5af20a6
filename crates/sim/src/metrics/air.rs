//! Accumulation of a cell's records: its members and its channel.

use airfair_laws::Direction;
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{AirUse, CategoryEvent, DropCause, NodeId, Record, SentFrame};

use super::fingerprint::CellBits;
use super::level::Level;
use super::measured_time::MeasuredTime;
use super::series::MemberSteps;
use crate::outcome::{CategoryOutcome, ChannelOutcome, RadioOutcome, StationOutcome, StationStep};
use crate::record::{CellId, Measured};

/// Sums over the records of one cell, indexed by member; index 0 is the access point.
#[derive(Clone, Debug)]
pub(super) struct AirAccount {
    /// The cell in the hash of its records.
    pub(super) place: CellBits,
    members: Vec<StationOutcome>,
    queues: Vec<Level>,
    /// Rates chosen by rate control, up and down [b/s].
    rates: Vec<[Level; 2]>,
    channel: ChannelOutcome,
    /// Time for which each other cell held the air, up to the last one that did.
    held: Vec<Duration>,
    /// Figures of each access category, summed over the records of the cell.
    categories: [CategoryOutcome; AccessCategory::ALL.len()],
    /// Idle time while a frame waits, since the channel was last used.
    gap: Duration,
    /// Start of the current step of the time series.
    step_start: Time,
    /// Finished steps of the time series of each member; empty without a time series.
    steps: Vec<MemberSteps>,
}

/// Figures of one cell at the end of a run.
pub(super) struct CellOutcome {
    pub(super) access_point: RadioOutcome,
    pub(super) channel: ChannelOutcome,
    /// Time for which each other cell held the air, up to the last one that did.
    pub(super) held: Vec<Duration>,
    pub(super) categories: [CategoryOutcome; AccessCategory::ALL.len()],
    /// Time series of each member, the access point first.
    pub(super) steps: Vec<Vec<StationStep>>,
    stations: std::vec::IntoIter<StationOutcome>,
}

impl CellOutcome {
    /// Removes and returns the results of the cell's next station.
    pub(super) fn next_station(&mut self) -> StationOutcome {
        self.stations.next().expect("one account per station")
    }
}

impl AirAccount {
    pub(super) fn new(cell: CellId, stations: usize, has_steps: bool) -> Self {
        let with_steps = if has_steps { stations + 1 } else { 0 };
        Self {
            place: cell.into(),
            members: vec![StationOutcome::default(); stations + 1],
            queues: vec![Level::default(); stations + 1],
            rates: vec![[Level::default(), Level::default()]; stations + 1],
            channel: ChannelOutcome::default(),
            held: Vec::new(),
            categories: Default::default(),
            gap: Duration::ZERO,
            step_start: Time::ZERO,
            steps: vec![MemberSteps::default(); with_steps],
        }
    }

    #[inline]
    pub(super) fn count(&mut self, now: Time, record: &Record, measured_time: MeasuredTime) {
        match *record {
            Record::Air { from, to, usage } => {
                if let AirUse::Data { station, .. } | AirUse::Control { station } = usage
                    && let Some(steps) = self.steps.get_mut(station.index())
                {
                    steps.hold(self.step_start, (from, to));
                }
                self.charge(usage, measured_time.clip(from, to));
            }
            Record::Queue { node, length } => {
                self.queues[node.index()].set(now, length.into(), measured_time);
            }
            Record::Sent { node, frame, retry, collided } if measured_time.contains(now) => {
                self.channel.frames += 1;
                let radio = self.radio(node);
                // A CTS-to-self is repeated together with its data frame, so the data frame counts the retry of both.
                let attempts = match frame {
                    SentFrame::Data => Some(&mut radio.frames),
                    SentFrame::Rts => Some(&mut radio.rts_frames),
                    SentFrame::Response | SentFrame::Beacon => None,
                };
                if let Some(attempts) = attempts {
                    *attempts += 1;
                    radio.retries += u64::from(retry);
                }
                radio.collisions += u64::from(collided);
            }
            _ => self.count_rare(now, record, measured_time),
        }
    }

    /// Counts a record of a kind that occurs more rarely than frames do.
    #[cold]
    fn count_rare(&mut self, now: Time, record: &Record, measured_time: MeasuredTime) {
        match *record {
            Record::Rate { station, direction, rate } => {
                self.rate(station, direction).set(now, rate.bps(), measured_time);
                self.members[station.index()].rate_changes +=
                    u64::from(measured_time.contains(now));
            }
            Record::Category(category, CategoryEvent::Air { from, to }) => {
                self.categories[category as usize].airtime += measured_time.clip(from, to);
            }
            _ if !measured_time.contains(now) => {}
            Record::Collision => self.channel.collisions += 1,
            Record::Dropped { node, cause } => match cause {
                DropCause::QueueFull => self.radio(node).dropped_queue_full += 1,
                DropCause::RetryLimit => self.radio(node).dropped_retry_limit += 1,
                DropCause::CoDel | DropCause::DualPi2 => self.radio(node).dropped_codel += 1,
                DropCause::AckFiltered => self.radio(node).dropped_ack_filter += 1,
                DropCause::TooLate => self.radio(node).dropped_late += 1,
                DropCause::Scheme => self.radio(node).dropped_by_scheme += 1,
            },
            Record::Errored { node } => self.radio(node).frame_errors += 1,
            Record::Duplicate { node } => self.radio(node).duplicates += 1,
            Record::Aggregate { node, to, mpdus, .. } => self.count_agreed(node, to, mpdus),
            Record::Category(category, event) => self.count_category(category, event),
            Record::Joined { node, packets } => {
                self.radio(node).joined_packets += u64::from(packets);
            }
            Record::Air { .. } | Record::Queue { .. } | Record::Sent { .. } => {}
        }
    }

    /// Counts a data frame sent under a block ack agreement.
    fn count_agreed(&mut self, node: NodeId, to: NodeId, mpdus: u16) {
        let (is_aggregate, mpdus) = (mpdus > 1, u64::from(mpdus));
        if is_aggregate {
            let radio = self.radio(node);
            radio.aggregates += 1;
            radio.aggregated_mpdus += mpdus;
        }
        if node.is_ap() {
            let receiver = &mut self.members[to.index()];
            receiver.agreed_frames_down += 1;
            receiver.agreed_mpdus_down += mpdus;
            receiver.aggregates_down += u64::from(is_aggregate);
        }
    }

    fn count_category(&mut self, category: AccessCategory, event: CategoryEvent) {
        let counted = &mut self.categories[category as usize];
        match event {
            CategoryEvent::Sent { is_data, collided } => {
                counted.frames += u64::from(is_data);
                counted.collisions += u64::from(collided);
            }
            CategoryEvent::Air { .. } => {}
            CategoryEvent::InternalCollision => counted.internal_collisions += 1,
            CategoryEvent::Dropped => counted.dropped += 1,
        }
    }

    /// Sets the rates with which a station begins, up and down.
    pub(super) fn start_rates(
        &mut self,
        station: NodeId,
        rates: [DataRate; 2],
        measured_time: MeasuredTime,
    ) {
        for (level, rate) in self.rates[station.index()].iter_mut().zip(rates) {
            level.set(Time::ZERO, rate.bps(), measured_time);
        }
    }

    fn rate(&mut self, station: NodeId, direction: Direction) -> &mut Level {
        &mut self.rates[station.index()][direction as usize]
    }

    fn radio(&mut self, node: NodeId) -> &mut RadioOutcome {
        &mut self.members[node.index()].radio
    }

    fn charge(&mut self, usage: AirUse, time: Duration) {
        let gap = std::mem::take(&mut self.gap);
        match usage {
            AirUse::Data { station, direction } => {
                self.channel.data += time;
                let member = &mut self.members[station.index()];
                member.contention += gap;
                *(match direction {
                    Direction::Up => &mut member.airtime_data_up,
                    Direction::Down => &mut member.airtime_data_down,
                }) += time;
            }
            AirUse::Control { station } => {
                self.channel.control += time;
                let member = &mut self.members[station.index()];
                member.contention += gap;
                member.airtime_control += time;
            }
            AirUse::Beacon => self.channel.beacon += time,
            AirUse::Collision => self.channel.collision += time,
            AirUse::Neighbour { cell } => self.charge_neighbour(cell.into(), time),
            AirUse::Overlap => self.channel.overlap += time,
            AirUse::Contention => {
                self.channel.contention += time;
                self.gap = gap + time;
            }
            AirUse::Idle => self.channel.idle += time,
        }
    }

    #[cold]
    fn charge_neighbour(&mut self, cell: usize, time: Duration) {
        self.channel.neighbours += time;
        if self.held.len() <= cell {
            self.held.resize(cell + 1, Duration::ZERO);
        }
        self.held[cell] += time;
    }

    /// Closes the current step of the time series of each member.
    pub(super) fn close_step(&mut self, now: Time, length: Duration, measured_time: MeasuredTime) {
        let levels = self.queues.iter_mut().zip(&mut self.rates);
        for (steps, (queue, [up, down])) in self.steps.iter_mut().zip(levels) {
            steps.close(StationStep {
                length,
                queue: queue.close_step(now, length, measured_time),
                rate_up_bps: up.close_step(now, length, measured_time),
                rate_down_bps: down.close_step(now, length, measured_time),
                ..StationStep::default()
            });
        }
        self.step_start = now;
    }

    /// Adds a station's measurement of its channel. An observation slot in which it has heard frames counts only if
    /// it lies in the measured time as a whole; a silent one counts by its part within the measured time.
    pub(super) fn measure(
        &mut self,
        station: NodeId,
        measured: &Measured,
        measured_time: MeasuredTime,
    ) {
        let &Measured { from, to, own, others, early, active } = measured;
        let counted = measured_time.clip(from, to);
        if active > 0 && counted < to - from {
            return;
        }
        let sums = &mut self.members[station.index()].measured;
        // Slots follow each other without gaps. So the part before this slot lies before the first counted slot if it
        // exceeds the time counted so far.
        let [own_before, others_before] = early.map(|early| early.saturating_sub(sums.time));
        sums.time += counted;
        sums.own += own - own_before;
        sums.others += others - others_before;
    }

    pub(super) fn finish(self, measured_time: MeasuredTime) -> CellOutcome {
        let mut members = self.members;
        for (member, [up, down]) in members.iter_mut().zip(self.rates) {
            (member.mean_rate_up, member.mean_rate_down) =
                (mean_rate(up, measured_time), mean_rate(down, measured_time));
        }
        for (member, queue) in members.iter_mut().zip(self.queues) {
            member.radio.queue_max = queue.max();
            member.radio.queue_mean = queue.mean(measured_time);
        }
        let access_point = members.remove(0).radio;
        let steps = self.steps.into_iter().map(|member| member.closed).collect();
        let Self { channel, held, categories, .. } = self;
        let stations = members.into_iter();
        CellOutcome { access_point, channel, held, categories, steps, stations }
    }
}

fn mean_rate(level: Level, measured_time: MeasuredTime) -> Option<DataRate> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of rates")]
    let bps = level.mean(measured_time).round() as u64;
    (bps > 0).then(|| DataRate::from_bps(bps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: NodeId = NodeId(1);
    const TWO: NodeId = NodeId(2);

    /// Station 1 is charged with the contention before its data, 50 µs, and before its ACK, the SIFS of 10 µs; station
    /// 2 is charged with 100 + 20 µs before its data. The 80 µs before a collision and the 7 µs at the end belong to
    /// neither.
    ///
    /// Verifies: [occupancy-tfrc fig. 1]
    #[test]
    fn contention_belongs_to_the_frame_that_it_leads_to() {
        let mut account = AirAccount::new(CellId(0), 2, false);
        let uses = [
            (AirUse::Idle, 500),
            (AirUse::Contention, 50),
            (AirUse::Data { station: ONE, direction: Direction::Down }, 900),
            (AirUse::Contention, 10),
            (AirUse::Control { station: ONE }, 200),
            (AirUse::Contention, 80),
            (AirUse::Collision, 900),
            (AirUse::Contention, 100),
            (AirUse::Contention, 20),
            (AirUse::Data { station: TWO, direction: Direction::Up }, 300),
            (AirUse::Contention, 7),
        ];
        for (usage, us) in uses {
            account.charge(usage, Duration::from_micros(us));
        }
        let contention = |node: NodeId| account.members[node.index()].contention.as_nanos();
        assert_eq!([ONE, TWO].map(contention), [60_000, 120_000]);
        assert_eq!(account.channel.contention.as_nanos(), 267_000);
    }
}

//! Positions and regions in the plane.

use std::f64::consts::PI;

use airfair_units::Length;
use libm::{asinh, cos, sin, sqrt};
use rand_core::Rng;

use super::draws::unit;
use crate::random::Stream;

/// Position in the plane [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// Coordinate to the right [m].
    pub x: f64,
    /// Coordinate upwards [m].
    pub y: f64,
}

/// Region in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Rectangle between two opposite corners.
    Rectangle {
        /// One corner of the rectangle.
        corner: Position,
        /// Corner opposite to `corner`.
        opposite: Position,
    },
    /// Disc around a centre.
    Disc {
        /// Centre of the disc.
        centre: Position,
        /// Radius of the disc; positive.
        radius: Length,
    },
}

impl Position {
    /// Position with these coordinates.
    pub fn new(x: Length, y: Length) -> Self {
        Self { x: x.as_metres(), y: y.as_metres() }
    }

    /// Distance to `other` [m].
    pub fn distance(self, other: Self) -> f64 {
        let (x, y) = (other.x - self.x, other.y - self.y);
        sqrt(x * x + y * y)
    }

    /// Position at the fraction `share` of the way to `other`.
    pub(super) fn towards(self, other: Self, share: f64) -> Self {
        Self { x: self.x + share * (other.x - self.x), y: self.y + share * (other.y - self.y) }
    }
}

impl Region {
    /// Lower left and upper right corner of the smallest rectangle that encloses the region.
    pub fn bounds(&self) -> (Position, Position) {
        match *self {
            Self::Rectangle { corner, opposite } => (
                Position { x: corner.x.min(opposite.x), y: corner.y.min(opposite.y) },
                Position { x: corner.x.max(opposite.x), y: corner.y.max(opposite.y) },
            ),
            Self::Disc { centre, radius } => {
                let r = radius.as_metres();
                (
                    Position { x: centre.x - r, y: centre.y - r },
                    Position { x: centre.x + r, y: centre.y + r },
                )
            }
        }
    }

    /// True if `place` is inside of the region or on its edge.
    pub fn contains(&self, place: Position) -> bool {
        match *self {
            Self::Rectangle { .. } => {
                let (low, high) = self.bounds();
                (low.x..=high.x).contains(&place.x) && (low.y..=high.y).contains(&place.y)
            }
            Self::Disc { centre, radius } => centre.distance(place) <= radius.as_metres(),
        }
    }

    /// Longest distance between two places of the region [m].
    pub(super) fn diameter(&self) -> f64 {
        match *self {
            Self::Rectangle { corner, opposite } => corner.distance(opposite),
            Self::Disc { radius, .. } => 2.0 * radius.as_metres(),
        }
    }

    /// Mean distance between two independent uniform places of the region [m]. In a rectangle a by b with diagonal d it
    /// is (a³/b² + b³/a² + d(3 - a²/b² - b²/a²) + 5/2 (b²/a · arsinh(a/b) + a²/b · arsinh(b/a)))/15, and in a disc
    /// 128R/45π. [navidi-2004]
    pub(super) fn mean_distance(&self) -> f64 {
        let (a, b) = match *self {
            Self::Disc { radius, .. } => return 128.0 * radius.as_metres() / (45.0 * PI),
            Self::Rectangle { corner, opposite } => {
                let sides = ((opposite.x - corner.x).abs(), (opposite.y - corner.y).abs());
                (sides.0.max(sides.1), sides.0.min(sides.1))
            }
        };
        // A narrow rectangle is treated as a line, since the terms would cancel. The error is below 10⁻⁵.
        if b < 1e-3 * a {
            return a / 3.0;
        }
        let (ratio, diagonal) = (a * a / (b * b), sqrt(a * a + b * b));
        let arcs = b * b / a * asinh(a / b) + a * a / b * asinh(b / a);
        (a * ratio + b / ratio + diagonal * (3.0 - ratio - 1.0 / ratio) + 2.5 * arcs) / 15.0
    }

    /// Draws a uniform place in the region. Takes two words of the stream.
    pub(super) fn draw(&self, stream: &mut Stream) -> Position {
        let (first, second) = (unit(stream.next_u64()), unit(stream.next_u64()));
        match *self {
            Self::Rectangle { .. } => {
                let (low, high) = self.bounds();
                let (x, y) = (high.x - low.x, high.y - low.y);
                Position { x: low.x + first * x, y: low.y + second * y }
            }
            Self::Disc { centre, radius } => {
                let (radius, angle) = (radius.as_metres() * sqrt(first), 2.0 * PI * second);
                Position { x: centre.x + radius * cos(angle), y: centre.y + radius * sin(angle) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    fn rectangle(x: i64, y: i64) -> Region {
        let corner = Position::default();
        let opposite = Position::new(Length::from_metres(x), Length::from_metres(y));
        Region::Rectangle { corner, opposite }
    }

    /// Unit square: (2 + √2 + 5·arsinh 1)/15 = (2 + 1.41421 + 4.40687)/15 = 0.521405. Line: 1/3. Disc of 1 m:
    /// 128/141.372 = 0.905415.
    ///
    /// Verifies: [navidi-2004]
    #[test]
    fn the_mean_distance_is_that_of_many_pairs() {
        assert!((rectangle(1, 1).mean_distance() - 0.521_405).abs() < 1e-6);
        assert!((rectangle(0, 3).mean_distance() - 1.0).abs() < 1e-12);
        let disc = Region::Disc { centre: Position::default(), radius: Length::from_metres(1) };
        assert!((disc.mean_distance() - 0.905_415).abs() < 1e-6);
        let mut stream = Stream::seed_from_u64(9);
        for region in [rectangle(300, 100), rectangle(-40, 2_000), disc] {
            let pair = |_| region.draw(&mut stream).distance(region.draw(&mut stream));
            let mean = (0..40_000).map(pair).sum::<f64>() / 40_000.0;
            // The relative deviation of one distance is below 0.71: 4·0.71/200 = 1.4 %.
            assert!((mean / region.mean_distance() - 1.0).abs() < 0.014, "{region:?}: {mean}");
        }
    }

    #[test]
    fn places_are_drawn_inside() {
        let centre = Position::new(Length::from_metres(-5), Length::from_metres(3));
        let mut stream = Stream::seed_from_u64(2);
        for region in [rectangle(-20, 10), Region::Disc { centre, radius: Length::from_metres(7) }]
        {
            let (low, high) = region.bounds();
            for _ in 0..1_000 {
                let place = region.draw(&mut stream);
                assert!(region.contains(place), "{place:?}");
                assert!(low.x <= place.x && place.y <= high.y);
            }
        }
    }
}

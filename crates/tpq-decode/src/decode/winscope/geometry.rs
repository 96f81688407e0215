//! Rectangles, transforms and rounded corners.

use tpq_proto::fields::{corner_radii_proto, float_rect_proto, rect_proto};
use tpq_proto::wire::LastFields;

/// Distances below this do not count where rectangles are compared, pixels.
const CLOSE: f64 = 0.01;
/// Determinants below this are of transforms that cannot be inverted.
const NEARLY_ZERO: f64 = 0.000_001;

fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() < CLOSE
}

fn is_at_most(one: f64, other: f64) -> bool {
    one <= other || is_close(one, other)
}

/// The radii of the corners of a rectangle, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CornerRadii {
    pub(super) top_left: f64,
    pub(super) top_right: f64,
    pub(super) bottom_left: f64,
    pub(super) bottom_right: f64,
}

impl CornerRadii {
    pub(super) fn read(message: &[u8]) -> Self {
        let radii = LastFields::<5>::new(message);
        Self {
            top_left: radii.real(corner_radii_proto::TL),
            top_right: radii.real(corner_radii_proto::TR),
            bottom_left: radii.real(corner_radii_proto::BL),
            bottom_right: radii.real(corner_radii_proto::BR),
        }
    }

    pub(super) fn all(radius: f64) -> Self {
        Self { top_left: radius, top_right: radius, bottom_left: radius, bottom_right: radius }
    }

    pub(super) fn any_is_positive(&self) -> bool {
        [self.top_left, self.top_right, self.bottom_left, self.bottom_right]
            .into_iter()
            .any(|radius| radius > 0.0)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            top_left: self.top_left + other.top_left,
            top_right: self.top_right + other.top_right,
            bottom_left: self.bottom_left + other.bottom_left,
            bottom_right: self.bottom_right + other.bottom_right,
        }
    }
}

/// A rectangle, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

impl Rect {
    pub(super) fn from_edges(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { x: left, y: top, w: right - left, h: bottom - top }
    }

    /// Reads a `RectProto`.
    pub(super) fn read(message: &[u8]) -> Self {
        let edges = LastFields::<5>::new(message);
        let edge = |number| edges.get(number).map_or(0.0, |edge| f64::from(edge.as_i32()));
        Self::from_edges(
            edge(rect_proto::LEFT),
            edge(rect_proto::TOP),
            edge(rect_proto::RIGHT),
            edge(rect_proto::BOTTOM),
        )
    }

    /// Reads a `FloatRectProto`.
    pub(super) fn read_float(message: &[u8]) -> Self {
        let edges = LastFields::<5>::new(message);
        Self::from_edges(
            edges.real(float_rect_proto::LEFT),
            edges.real(float_rect_proto::TOP),
            edges.real(float_rect_proto::RIGHT),
            edges.real(float_rect_proto::BOTTOM),
        )
    }

    fn right(&self) -> f64 {
        self.x + self.w
    }

    fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub(super) fn is_empty(&self) -> bool {
        self.w <= 0.0 || self.h <= 0.0
    }

    /// The part within another rectangle. It has a negative size if there is none.
    pub(super) fn crop(&self, other: &Self) -> Self {
        Self::from_edges(
            self.x.max(other.x),
            self.y.max(other.y),
            self.right().min(other.right()),
            self.bottom().min(other.bottom()),
        )
    }

    pub(super) fn is_almost(&self, other: &Self) -> bool {
        is_close(self.x, other.x)
            && is_close(self.y, other.y)
            && is_close(self.w, other.w)
            && is_close(self.h, other.h)
    }

    /// Whether the rectangles have an area in common. One that touches another above or below it
    /// counts, as it does in Winscope, and so does an empty one at the bottom edge of another.
    pub(super) fn intersects(&self, other: &Self) -> bool {
        let w = if self.right() > other.right() { other.w } else { self.w };
        let h = if self.bottom() > other.bottom() { other.h } else { self.h };
        self.x < other.right()
            && other.x < self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
            && w > 0.0
            && h > 0.0
    }
}

/// A rectangle with rounded corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundedRect {
    pub(super) rect: Rect,
    pub(super) radii: CornerRadii,
}

impl RoundedRect {
    /// Whether another rectangle lies within it, corners included.
    pub(super) fn contains(&self, inner: &Self) -> bool {
        let (outer_rect, inner_rect) = (&self.rect, &inner.rect);
        let is_within = !outer_rect.is_empty()
            && is_at_most(outer_rect.x, inner_rect.x)
            && is_at_most(outer_rect.y, inner_rect.y)
            && is_at_most(inner_rect.right(), outer_rect.right())
            && is_at_most(inner_rect.bottom(), outer_rect.bottom());
        is_within && self.corners().iter().zip(inner.corners()).all(|(own, it)| own.covers(&it))
    }

    fn corners(&self) -> [Corner; 4] {
        let Self { rect, radii } = self;
        let (left, right) = ((rect.x, 1.0), (rect.right(), -1.0));
        let (top, bottom) = ((rect.y, 1.0), (rect.bottom(), -1.0));
        [
            Corner::new(left, top, radii.top_left),
            Corner::new(right, top, radii.top_right),
            Corner::new(left, bottom, radii.bottom_left),
            Corner::new(right, bottom, radii.bottom_right),
        ]
    }
}

/// A corner: a quarter of a circle.
struct Corner {
    center: (f64, f64),
    /// Direction from the center of the circle into the rectangle.
    inward: (f64, f64),
    radius: f64,
}

impl Corner {
    fn new((x, right): (f64, f64), (y, down): (f64, f64), radius: f64) -> Self {
        Self { center: (x + right * radius, y + down * radius), inward: (right, down), radius }
    }

    /// Whether the same corner of a rectangle within this one's does not stick out.
    fn covers(&self, inner: &Self) -> bool {
        if self.radius <= inner.radius {
            return true;
        }
        let (dx, dy) = (inner.center.0 - self.center.0, inner.center.1 - self.center.1);
        let is_further_in = dx * self.inward.0 > 0.0 || dy * self.inward.1 > 0.0;
        is_further_in || dx * dx + dy * dy <= self.radius * self.radius + CLOSE
    }
}

/// An affine transform: x' = dsdx·x + dtdx·y + tx, and y' = dtdy·x + dsdy·y + ty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    pub(super) dsdx: f64,
    pub(super) dtdx: f64,
    pub(super) tx: f64,
    pub(super) dtdy: f64,
    pub(super) dsdy: f64,
    pub(super) ty: f64,
}

impl Transform {
    pub(super) const IDENTITY: Self =
        Self { dsdx: 1.0, dtdx: 0.0, tx: 0.0, dtdy: 0.0, dsdy: 1.0, ty: 0.0 };

    pub(super) fn is_invertible(&self) -> bool {
        (self.dsdx * self.dsdy - self.dtdx * self.dtdy).abs() >= NEARLY_ZERO
    }

    /// The inverse. A transform without one has the identity in its place.
    pub(super) fn inverse(&self) -> Self {
        if !self.is_invertible() {
            return Self::IDENTITY;
        }
        let det = self.dsdx * self.dsdy - self.dtdx * self.dtdy;
        let turned = Self {
            dsdx: self.dsdy / det,
            dtdx: -self.dtdx / det,
            tx: 0.0,
            dtdy: -self.dtdy / det,
            dsdy: self.dsdx / det,
            ty: 0.0,
        };
        let (tx, ty) = turned.apply(-self.tx, -self.ty);
        Self { tx, ty, ..turned }
    }

    fn apply(&self, x: f64, y: f64) -> (f64, f64) {
        (self.dsdx * x + self.dtdx * y + self.tx, self.dtdy * x + self.dsdy * y + self.ty)
    }

    /// The rectangle around two transformed corners of a rectangle.
    pub(super) fn apply_to(&self, rect: &Rect) -> Rect {
        let (x, y) = self.apply(rect.x, rect.y);
        let (right, bottom) = self.apply(rect.right(), rect.bottom());
        Rect::from_edges(x.min(right), y.min(bottom), x.max(right), y.max(bottom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(rect: Rect, radius: f64) -> RoundedRect {
        RoundedRect { rect, radii: CornerRadii::all(radius) }
    }

    #[test]
    fn a_rectangle_contains_another_unless_a_corner_sticks_out() {
        let outer = Rect::from_edges(0.0, 0.0, 100.0, 100.0);
        let inner = Rect::from_edges(0.0, 0.0, 50.0, 50.0);
        assert!(rounded(outer, 0.0).contains(&rounded(inner, 0.0)));
        assert!(!rounded(inner, 0.0).contains(&rounded(outer, 0.0)));
        // The sharp corner at (0, 0) lies outside of the circle around (20, 20).
        assert!(!rounded(outer, 20.0).contains(&rounded(inner, 0.0)));
        assert!(rounded(outer, 20.0).contains(&rounded(inner, 20.0)));
        let within = Rect::from_edges(30.0, 30.0, 70.0, 70.0);
        assert!(rounded(outer, 20.0).contains(&rounded(within, 0.0)), "away from the corners");
        assert!(!rounded(Rect::default(), 0.0).contains(&rounded(Rect::default(), 0.0)), "empty");
    }

    #[test]
    fn rectangles_intersect_where_they_have_an_area() {
        let rect = Rect::from_edges(0.0, 0.0, 10.0, 10.0);
        assert!(rect.intersects(&Rect::from_edges(9.0, 9.0, 20.0, 20.0)));
        assert!(!rect.intersects(&Rect::from_edges(10.0, 0.0, 20.0, 10.0)));
        assert!(!rect.intersects(&Rect::from_edges(2.0, 2.0, 2.0, 8.0)), "without an area");
    }

    #[test]
    fn an_inverse_takes_back_a_transform() {
        let turn = Transform { dsdx: 0.0, dtdx: -2.0, tx: 7.0, dtdy: 2.0, dsdy: 0.0, ty: 3.0 };
        let rect = Rect::from_edges(1.0, 2.0, 5.0, 9.0);
        let there = turn.apply_to(&rect);
        assert_eq!(there, Rect::from_edges(-11.0, 5.0, 3.0, 13.0));
        assert!(turn.inverse().apply_to(&there).is_almost(&rect));
        let flat = Transform { dsdx: 0.0, ..Transform::IDENTITY };
        assert_eq!(flat.inverse(), Transform::IDENTITY);
    }
}

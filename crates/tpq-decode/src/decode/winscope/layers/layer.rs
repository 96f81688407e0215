//! What is computed from a layer needs to know of it.

use tpq_proto::fields::{
    active_buffer_proto, border_settings, color_proto, layer_proto, position_proto, region_proto,
    transform_proto,
};
use tpq_proto::wire::LastFields;

use crate::decode::winscope::context::messages;
use crate::decode::winscope::geometry::{CornerRadii, Rect, RoundedRect, Transform};

/// The flag of hidden layers.
const HIDDEN: u32 = 1;
/// The id of the layer that holds what is not on a screen.
const OFFSCREEN_ROOT: i32 = 0x7fff_fffd;

/// A layer of a snapshot.
pub(super) struct Layer<'a> {
    pub(super) message: &'a [u8],
    pub(super) id: Option<i32>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) parent: Option<i32>,
    /// The layer that it is ordered relative to.
    pub(super) relative_to: Option<i32>,
    pub(super) z: i32,
    pub(super) layer_stack: u32,
    flags: u32,
    pub(super) is_opaque: bool,
    pub(super) color: Option<Color>,
    pub(super) has_buffer: bool,
    /// Whether the visible region has an area, where it was recorded.
    pub(super) visible_region: Option<bool>,
    pub(super) bounds: Option<Rect>,
    screen_bounds: Option<Rect>,
    pub(super) transform: Transform,
    has_invalid_rotation: bool,
    pub(super) radii: CornerRadii,
    pub(super) hwc_composition_type: Option<i64>,
    pub(super) has_shadow: bool,
    pub(super) has_blur: bool,
    pub(super) input: Option<&'a [u8]>,
    /// Width and color of the border.
    pub(super) border: Option<(f64, u32)>,
}

impl<'a> Layer<'a> {
    pub(super) fn read(message: &'a [u8]) -> Self {
        let fields = LastFields::<68>::new(message);
        let int = |number| fields.get(number).map(|field| field.as_i32());
        let rect = |number| fields.get(number).map(|field| Rect::read_float(field.as_bytes()));
        let part = |number| fields.get(number).map(|field| field.as_bytes());
        let transform = part(layer_proto::TRANSFORM);
        Self {
            message,
            id: int(layer_proto::ID),
            name: part(layer_proto::NAME),
            parent: int(layer_proto::PARENT),
            relative_to: int(layer_proto::Z_ORDER_RELATIVE_OF),
            z: int(layer_proto::Z).unwrap_or_default(),
            layer_stack: fields.uint(layer_proto::LAYER_STACK) as u32,
            flags: fields.uint(layer_proto::FLAGS) as u32,
            is_opaque: fields.uint(layer_proto::IS_OPAQUE) != 0,
            color: part(layer_proto::COLOR).map(Color::read),
            has_buffer: part(layer_proto::ACTIVE_BUFFER).is_some_and(has_buffer),
            visible_region: part(layer_proto::VISIBLE_REGION).map(has_area),
            bounds: rect(layer_proto::BOUNDS),
            screen_bounds: rect(layer_proto::SCREEN_BOUNDS),
            transform: transform_of(part(layer_proto::POSITION), transform),
            has_invalid_rotation: transform
                .is_some_and(|it| TransformType::read(it).has(TransformType::INVALID)),
            radii: radii_of(&fields),
            hwc_composition_type: int(layer_proto::HWC_COMPOSITION_TYPE).map(i64::from),
            has_shadow: fields.real(layer_proto::SHADOW_RADIUS) > 0.0,
            has_blur: int(layer_proto::BACKGROUND_BLUR_RADIUS).is_some_and(|radius| radius > 0),
            input: part(layer_proto::INPUT_WINDOW_INFO),
            border: part(layer_proto::BORDER_SETTINGS).and_then(border),
        }
    }

    pub(super) fn is_root(&self) -> bool {
        self.parent.is_none_or(|parent| parent == -1)
    }

    /// Whether its flags hide it, or it holds what is not on a screen.
    pub(super) fn is_hidden(&self) -> bool {
        self.flags & HIDDEN != 0 || self.id == Some(OFFSCREEN_ROOT)
    }

    /// The area on the screen, within a display that has an area.
    pub(super) fn screen_bounds(&self, display: Option<&Rect>) -> Option<Rect> {
        let bounds = self.screen_bounds?;
        Some(match display {
            Some(display) if !display.is_empty() => bounds.crop(display),
            _ => bounds,
        })
    }

    /// Whether it hides another layer, which lies below, if it is opaque.
    pub(super) fn hides(&self, other: &Self, display: Option<&Rect>) -> bool {
        let rounded = |layer: &Self| {
            let rect = layer.screen_bounds(display)?;
            Some(RoundedRect { rect, radii: layer.radii })
        };
        let (Some(own), Some(others)) = (rounded(self), rounded(other)) else { return false };
        !self.has_invalid_rotation && own.contains(&others)
    }

    pub(super) fn overlaps(&self, other: &Self, display: Option<&Rect>) -> bool {
        match (self.screen_bounds(display), other.screen_bounds(display)) {
            (Some(own), Some(others)) => own.intersects(&others),
            _ => false,
        }
    }

    /// Whether it draws something of its own: a color or a shadow.
    pub(super) fn has_effects(&self) -> bool {
        self.has_shadow || self.color.is_some_and(|color| color.a > 0.0 && color.is_valid())
    }
}

/// A color; components below 0 mean that there is none.
#[derive(Clone, Copy)]
pub(super) struct Color {
    rgb: [f64; 3],
    /// The opacity, 0 if it was not recorded.
    pub(super) a: f64,
    pub(super) has_alpha: bool,
}

impl Color {
    fn read(message: &[u8]) -> Self {
        let color = LastFields::<5>::new(message);
        Self {
            rgb: [color_proto::R, color_proto::G, color_proto::B].map(|it| color.real(it)),
            a: color.real(color_proto::A),
            has_alpha: color.has(color_proto::A),
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.rgb.iter().all(|&part| part >= 0.0)
    }

    pub(super) fn is_transparent(&self) -> bool {
        self.a <= 0.0 && self.a > -1.0
    }
}

/// The kinds of a transform, as bits.
#[derive(Clone, Copy)]
pub(super) struct TransformType(i32);

impl TransformType {
    const SCALE: i32 = 0x4;
    const INVALID: i32 = 0x8000;
    const TURN_90: i32 = 0x400;
    const TURN_180: i32 = 0x300;
    const TURN_270: i32 = Self::TURN_90 | Self::TURN_180;

    pub(super) fn read(transform: &[u8]) -> Self {
        Self(LastFields::<6>::new(transform).int(transform_proto::TYPE) as i32)
    }

    fn has(self, bits: i32) -> bool {
        self.0 & bits == bits
    }

    /// Whether it is made of turns and shifts alone.
    pub(super) fn is_simple(self) -> bool {
        self.0 & (Self::INVALID | Self::SCALE) == 0
    }

    /// Turns by 90°, 0 to 3.
    pub(super) fn quarter_turns(self) -> u32 {
        match self {
            _ if self.has(Self::TURN_270) => 3,
            _ if self.has(Self::TURN_180) => 2,
            _ if self.has(Self::TURN_90) => 1,
            _ => 0,
        }
    }

    /// The transform that turns and then shifts.
    pub(super) fn turned(self, tx: f64, ty: f64) -> Transform {
        let (dsdx, dtdx, dtdy, dsdy) = match self.quarter_turns() {
            1 => (0.0, 1.0, -1.0, 0.0),
            2 => (-1.0, 0.0, 0.0, -1.0),
            3 => (0.0, -1.0, 1.0, 0.0),
            _ => (1.0, 0.0, 0.0, 1.0),
        };
        Transform { dsdx, dtdx, tx, dtdy, dsdy, ty }
    }
}

fn transform_of(position: Option<&[u8]>, transform: Option<&[u8]>) -> Transform {
    let position = position.map(LastFields::<3>::new);
    let [tx, ty] = [position_proto::X, position_proto::Y]
        .map(|number| position.as_ref().map_or(0.0, |position| position.real(number)));
    let shift = Transform { tx, ty, ..Transform::IDENTITY };
    let Some(message) = transform else { return shift };
    let kind = TransformType::read(message);
    if kind.is_simple() {
        return kind.turned(tx, ty);
    }
    let transform = LastFields::<6>::new(message);
    // SurfaceFlinger writes the factors of layers under each other's names.
    Transform {
        dsdx: transform.real(transform_proto::DSDX),
        dtdx: transform.real(transform_proto::DSDY),
        dtdy: transform.real(transform_proto::DTDX),
        dsdy: transform.real(transform_proto::DTDY),
        ..shift
    }
}

/// The radii of the corners, with those that the app itself draws.
fn radii_of(fields: &LastFields<'_, 68>) -> CornerRadii {
    let radii = |number| fields.get(number).map(|field| CornerRadii::read(field.as_bytes()));
    let of_corners = radii(layer_proto::CORNER_RADII).filter(CornerRadii::any_is_positive);
    let of_all = || CornerRadii::all(fields.real(layer_proto::CORNER_RADIUS));
    of_corners.unwrap_or_else(of_all).plus(radii(layer_proto::EFFECTIVE_RADII).unwrap_or_default())
}

fn has_buffer(message: &[u8]) -> bool {
    let buffer = LastFields::<5>::new(message);
    let sizes =
        [active_buffer_proto::WIDTH, active_buffer_proto::HEIGHT, active_buffer_proto::STRIDE];
    sizes.iter().any(|&size| buffer.uint(size) as u32 > 0)
        || buffer.int(active_buffer_proto::FORMAT) as i32 > 0
}

/// Whether some rectangle of a region has an area.
fn has_area(region: &[u8]) -> bool {
    messages(region, region_proto::RECT).any(|rect| !Rect::read(rect).is_empty())
}

fn border(message: &[u8]) -> Option<(f64, u32)> {
    let border = LastFields::<3>::new(message);
    let width = border.real(border_settings::STROKE_WIDTH);
    (width > 0.0).then(|| (width, border.int(border_settings::COLOR) as i32 as u32))
}

//! Units of GPU counters.

use tpq_proto::message::gpu_counter_descriptor::{GpuCounterSpec, MeasureUnit};

/// The unit of a counter: factors with colons between them, those of the denominator after a
/// slash. `None` where the counter does not say.
pub(super) fn unit(spec: &GpuCounterSpec) -> Option<String> {
    if spec.numerator_units.is_empty() && spec.denominator_units.is_empty() {
        return None;
    }
    let mut unit = String::new();
    for &factor in &spec.numerator_units {
        if !unit.is_empty() {
            unit.push(':');
        }
        unit.push_str(symbol(factor));
    }
    let denominator = spec.denominator_units.iter().map(|&factor| symbol(factor));
    for (index, factor) in denominator.filter(|symbol| !symbol.is_empty()).enumerate() {
        unit.push(if index == 0 { '/' } else { ':' });
        unit.push_str(factor);
    }
    Some(unit)
}

fn symbol(unit: i32) -> &'static str {
    use MeasureUnit as Unit;
    let Ok(unit) = Unit::try_from(unit) else { return "Unknown" };
    match unit {
        Unit::None => "",
        Unit::Bit => "bit",
        Unit::Kilobit => "Kb",
        Unit::Megabit => "Mb",
        Unit::Gigabit => "Gb",
        Unit::Terabit => "Tb",
        Unit::Petabit => "Pb",
        Unit::Byte => "B",
        Unit::Kilobyte => "KB",
        Unit::Megabyte => "MB",
        Unit::Gigabyte => "GB",
        Unit::Terabyte => "TB",
        Unit::Petabyte => "PB",
        Unit::Hertz => "Hz",
        Unit::Kilohertz => "KHz",
        Unit::Megahertz => "MHz",
        Unit::Gigahertz => "GHz",
        Unit::Terahertz => "THz",
        Unit::Petahertz => "PHz",
        Unit::Nanosecond => "ns",
        Unit::Microsecond => "us",
        Unit::Millisecond => "ms",
        Unit::Second => "s",
        Unit::Minute => "min",
        Unit::Hour => "h",
        Unit::Vertex => "Vertex",
        Unit::Pixel => "Pixel",
        Unit::Triangle => "Triangle",
        Unit::Primitive => "Primitive",
        Unit::Fragment => "Fragment",
        Unit::Milliwatt => "mW",
        Unit::Watt => "W",
        Unit::Kilowatt => "kW",
        Unit::Joule => "J",
        Unit::Volt => "V",
        Unit::Ampere => "A",
        Unit::Celsius => "C",
        Unit::Fahrenheit => "F",
        Unit::Kelvin => "K",
        Unit::Percent => "%",
        Unit::Instruction => "Instruction",
    }
}

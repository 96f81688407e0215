//! Reads the document.

use std::collections::HashMap;

use serde_json::{Deserializer, Value};

use super::place::Place;
use super::{
    Attribute, Manifest, ManifestClocks, ManifestError, ManifestFile, ManifestProblem as Problem,
    TraceTime,
};
use crate::archive::plain;

/// Longer documents are refused: parsed, they take many times their size.
const LONGEST: usize = 16 << 20;

impl Manifest {
    /// Reads a manifest that may be followed by other data, and gives its length too. `shown` is
    /// what messages call the file.
    ///
    /// # Errors
    /// When it is not valid JSON, or breaks a rule that can be known without the other files.
    pub(crate) fn parse(bytes: &[u8], shown: &str) -> Result<(Self, usize), ManifestError> {
        let (root, length) = document(bytes, shown)?;
        let broken = |problem| ManifestError::Document { file: shown.to_owned(), problem };
        let root = Place { value: &root, path: String::new() };
        let body = root.required("perfetto_manifest").map_err(broken)?;
        check_version(&body).map_err(broken)?;
        let body = Place { path: String::new(), ..body };

        let trace_time = trace_time(&body).map_err(broken)?;
        let files = files(&body, shown)?;
        let attributes = attributes(&body).map_err(broken)?;
        let shown = shown.to_owned();
        let mut by_path = HashMap::with_capacity(files.len());
        for (index, file) in files.iter().enumerate() {
            by_path.entry(plain(&file.path).to_owned()).or_insert(index);
        }
        let manifest = Self { trace_time, files, attributes, shown, by_path };
        manifest.check()?;
        Ok((manifest, length))
    }
}

fn document(bytes: &[u8], shown: &str) -> Result<(Value, usize), ManifestError> {
    let file = || shown.to_owned();
    let head = &bytes[..bytes.len().min(LONGEST)];
    let mut documents = Deserializer::from_slice(head).into_iter::<Value>();
    match documents.next() {
        Some(Ok(root)) => Ok((root, documents.byte_offset())),
        Some(Err(error)) if error.is_eof() && head.len() < bytes.len() => {
            Err(ManifestError::Document { file: file(), problem: Problem::TooLong(LONGEST) })
        }
        Some(Err(error)) => {
            let (line, column) = (error.line(), error.column());
            let what = error.to_string();
            let place = format!(" at line {line} column {column}");
            let what = what.strip_suffix(&place).unwrap_or(&what).to_owned();
            Err(ManifestError::Json { file: file(), line, column, what })
        }
        None => Ok((Value::Null, 0)),
    }
}

fn check_version(body: &Place<'_>) -> Result<(), Problem> {
    let version = body.field("version")?.ok_or(Problem::NoVersion)?.value;
    if version.as_u64() == Some(1) {
        return Ok(());
    }
    Err(Problem::Version(version.to_string()))
}

fn trace_time(body: &Place<'_>) -> Result<Option<TraceTime>, Problem> {
    let Some(place) = body.field("trace_time")? else { return Ok(None) };
    let clock = place.required("clock")?.clock()?;
    let (file, machine) = (place.text_field("file")?, place.text_field("machine")?);
    if machine.is_some() && file.is_none() {
        return Err(Problem::MachineAlone("trace_time.machine"));
    }
    Ok(Some(TraceTime { clock, file, machine }))
}

fn files(body: &Place<'_>, shown: &str) -> Result<Vec<ManifestFile>, ManifestError> {
    let broken = |problem| ManifestError::Document { file: shown.to_owned(), problem };
    let Some(places) = body.field("files").map_err(broken)? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for place in places.items().map_err(broken)? {
        let path = path(&place).map_err(broken)?;
        // From here on messages name the file instead of its place in the list.
        let place = Place { path: String::new(), ..place };
        let file = file(&place, &path).map_err(|problem| ManifestError::Entry {
            file: shown.to_owned(),
            path: path.clone(),
            problem,
        })?;
        files.push(file);
    }
    Ok(files)
}

fn path(place: &Place<'_>) -> Result<String, Problem> {
    let path = place.required("path")?;
    match path.text()? {
        text if text.is_empty() => Err(Problem::Required(path.path)),
        text => Ok(text),
    }
}

fn file(place: &Place<'_>, path: &str) -> Result<ManifestFile, Problem> {
    let (machine, machines) = (place.field("machine")?, place.field("machines")?);
    if machine.is_some() && machines.is_some() {
        return Err(Problem::MachineAndMachines);
    }
    Ok(ManifestFile {
        path: path.to_owned(),
        machine: machine.map(|place| machine_name(&place, "machine")).transpose()?,
        machines: machines.map_or_else(|| Ok(Vec::new()), |place| self::machines(&place))?,
        clocks: place.field("clocks")?.map(|place| clocks(&place)).transpose()?,
    })
}

fn machines(place: &Place<'_>) -> Result<Vec<(u32, String)>, Problem> {
    let mut machines: Vec<(u32, String)> = Vec::new();
    for item in place.items()? {
        let id = machine_id(item.field("id")?.map(|place| place.value))?;
        if machines.iter().any(|(other, _)| *other == id) {
            return Err(Problem::MachineIdTwice(id));
        }
        let name = machine_name(&item, &format!("{}: machine", item.path))?;
        machines.push((id, name));
    }
    Ok(machines)
}

fn machine_id(value: Option<&Value>) -> Result<u32, Problem> {
    let id = value.and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
    let shown = || value.map_or_else(|| "absent".to_owned(), Value::to_string);
    id.ok_or_else(|| Problem::MachineId(shown()))
}

fn machine_name(place: &Place<'_>, called: &str) -> Result<String, Problem> {
    let name = place.text_field("name")?.filter(|name| !name.is_empty());
    name.ok_or_else(|| Problem::NoMachineName(called.to_owned()))
}

fn clocks(place: &Place<'_>) -> Result<ManifestClocks, Problem> {
    let clock = place.clock_field("clock")?;
    let machine = place.text_field("machine")?;
    let sync_to = place.field("sync_to")?.ok_or(Problem::NoSyncTo)?;
    let to_machine = sync_to.text_field("machine")?;
    let to_file = match sync_to.text_field("file")? {
        Some(file) => file,
        None if to_machine.is_some() => {
            return Err(Problem::MachineAlone("clocks: sync_to.machine"));
        }
        None => return Err(Problem::NoSyncFile),
    };
    let to_clock = sync_to.clock_field("clock")?;
    let offset_ns = place.field("offset_ns")?.map_or(Ok(0), |place| offset(place.value))?;
    Ok(ManifestClocks { clock, machine, to_file, to_machine, to_clock, offset_ns })
}

/// An offset that also has an opposite, so that the relation can be read both ways.
fn offset(value: &Value) -> Result<i64, Problem> {
    let number = value.as_number().ok_or(Problem::OffsetNotInteger)?;
    if let Some(offset) = number.as_i64() {
        return if offset == i64::MIN { Err(Problem::OffsetOutOfRange) } else { Ok(offset) };
    }
    // Whole numbers of more than 64 bits are parsed as floating point.
    let large = number.as_f64().is_some_and(|number| number.abs() >= i64::MAX as f64);
    Err(if large { Problem::OffsetOutOfRange } else { Problem::OffsetNotInteger })
}

fn attributes(body: &Place<'_>) -> Result<Vec<(String, Attribute)>, Problem> {
    let Some(place) = body.field("attributes")? else { return Ok(Vec::new()) };
    let fields = place.value.as_object().ok_or(Problem::Attributes)?;
    let attribute = |(key, value): (&String, &Value)| {
        if key.is_empty() {
            return Err(Problem::AttributeKey);
        }
        let text = value.as_str().map(|text| Attribute::Text(text.to_owned()));
        let attribute = text.or_else(|| value.as_i64().map(Attribute::Int));
        let attribute = attribute.ok_or_else(|| Problem::AttributeValue(key.clone()))?;
        Ok((key.clone(), attribute))
    };
    fields.iter().map(attribute).collect()
}

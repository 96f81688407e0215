//! Parses the JSON document of a manifest.

use std::collections::HashMap;

use serde_json::{Deserializer, Value};

use super::json_node::JsonNode;
use super::{
    Attribute, Manifest, ManifestClocks, ManifestError, ManifestFile, ManifestProblem as Problem,
    TraceTime,
};
use crate::archive::plain;

/// The largest length of a document in bytes. A parsed document takes many times its size.
const MAX_LEN: usize = 16 << 20;

impl Manifest {
    /// Parses a manifest that may be followed by other data. Also returns its length. `shown` is
    /// the name of the file in messages.
    ///
    /// # Errors
    /// When it is not valid JSON, or breaks a rule that can be checked without the other files.
    pub(crate) fn parse(bytes: &[u8], shown: &str) -> Result<(Self, usize), ManifestError> {
        let (root, length) = document(bytes, shown)?;
        let broken = |problem| ManifestError::Document { file: shown.to_owned(), problem };
        let root = JsonNode { value: &root, path: String::new() };
        let body = root.required("perfetto_manifest").map_err(broken)?;
        check_version(&body).map_err(broken)?;
        let body = JsonNode { path: String::new(), ..body };

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
    let head = &bytes[..bytes.len().min(MAX_LEN)];
    let mut documents = Deserializer::from_slice(head).into_iter::<Value>();
    match documents.next() {
        Some(Ok(root)) => Ok((root, documents.byte_offset())),
        Some(Err(error)) if error.is_eof() && head.len() < bytes.len() => {
            Err(ManifestError::Document { file: file(), problem: Problem::TooLong(MAX_LEN) })
        }
        Some(Err(error)) => {
            let (line, column) = (error.line(), error.column());
            let what = error.to_string();
            let position = format!(" at line {line} column {column}");
            let what = what.strip_suffix(&position).unwrap_or(&what).to_owned();
            Err(ManifestError::Json { file: file(), line, column, what })
        }
        None => Ok((Value::Null, 0)),
    }
}

fn check_version(body: &JsonNode<'_>) -> Result<(), Problem> {
    let version = body.field("version")?.ok_or(Problem::NoVersion)?.value;
    if version.as_u64() == Some(1) {
        return Ok(());
    }
    Err(Problem::Version(version.to_string()))
}

fn trace_time(body: &JsonNode<'_>) -> Result<Option<TraceTime>, Problem> {
    let Some(node) = body.field("trace_time")? else { return Ok(None) };
    let clock = node.required("clock")?.clock()?;
    let (file, machine) = (node.text_field("file")?, node.text_field("machine")?);
    if machine.is_some() && file.is_none() {
        return Err(Problem::MachineAlone("trace_time.machine"));
    }
    Ok(Some(TraceTime { clock, file, machine }))
}

fn files(body: &JsonNode<'_>, shown: &str) -> Result<Vec<ManifestFile>, ManifestError> {
    let broken = |problem| ManifestError::Document { file: shown.to_owned(), problem };
    let Some(nodes) = body.field("files").map_err(broken)? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for node in nodes.items().map_err(broken)? {
        let path = path(&node).map_err(broken)?;
        // From here on messages name the file instead of its index in the list.
        let node = JsonNode { path: String::new(), ..node };
        let file = file(&node, &path).map_err(|problem| ManifestError::Entry {
            file: shown.to_owned(),
            path: path.clone(),
            problem,
        })?;
        files.push(file);
    }
    Ok(files)
}

fn path(node: &JsonNode<'_>) -> Result<String, Problem> {
    let path = node.required("path")?;
    match path.text()? {
        text if text.is_empty() => Err(Problem::Required(path.path)),
        text => Ok(text),
    }
}

fn file(node: &JsonNode<'_>, path: &str) -> Result<ManifestFile, Problem> {
    let (machine, machines) = (node.field("machine")?, node.field("machines")?);
    if machine.is_some() && machines.is_some() {
        return Err(Problem::MachineAndMachines);
    }
    Ok(ManifestFile {
        path: path.to_owned(),
        machine: machine.map(|node| machine_name(&node, "machine")).transpose()?,
        machines: machines.map_or_else(|| Ok(Vec::new()), |node| self::machines(&node))?,
        clocks: node.field("clocks")?.map(|node| clocks(&node)).transpose()?,
    })
}

fn machines(node: &JsonNode<'_>) -> Result<Vec<(u32, String)>, Problem> {
    let mut machines: Vec<(u32, String)> = Vec::new();
    for item in node.items()? {
        let id = machine_id(item.field("id")?.map(|node| node.value))?;
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

fn machine_name(node: &JsonNode<'_>, label: &str) -> Result<String, Problem> {
    let name = node.text_field("name")?.filter(|name| !name.is_empty());
    name.ok_or_else(|| Problem::NoMachineName(label.to_owned()))
}

fn clocks(node: &JsonNode<'_>) -> Result<ManifestClocks, Problem> {
    let clock = node.clock_field("clock")?;
    let machine = node.text_field("machine")?;
    let sync_to = node.field("sync_to")?.ok_or(Problem::NoSyncTo)?;
    let to_machine = sync_to.text_field("machine")?;
    let to_file = match sync_to.text_field("file")? {
        Some(file) => file,
        None if to_machine.is_some() => {
            return Err(Problem::MachineAlone("clocks: sync_to.machine"));
        }
        None => return Err(Problem::NoSyncFile),
    };
    let to_clock = sync_to.clock_field("clock")?;
    let offset_ns = node.field("offset_ns")?.map_or(Ok(0), |node| offset(node.value))?;
    Ok(ManifestClocks { clock, machine, to_file, to_machine, to_clock, offset_ns })
}

/// Parses an offset that can be negated, so that the relation can be read in both directions.
fn offset(value: &Value) -> Result<i64, Problem> {
    let number = value.as_number().ok_or(Problem::OffsetNotInteger)?;
    if let Some(offset) = number.as_i64() {
        return if offset == i64::MIN { Err(Problem::OffsetOutOfRange) } else { Ok(offset) };
    }
    // Whole numbers of more than 64 bits are parsed as floating point.
    let large = number.as_f64().is_some_and(|number| number.abs() >= i64::MAX as f64);
    Err(if large { Problem::OffsetOutOfRange } else { Problem::OffsetNotInteger })
}

fn attributes(body: &JsonNode<'_>) -> Result<Vec<(String, Attribute)>, Problem> {
    let Some(node) = body.field("attributes")? else { return Ok(Vec::new()) };
    let fields = node.value.as_object().ok_or(Problem::Attributes)?;
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

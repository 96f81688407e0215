//! The page of a report, and the data in it.

use anyhow::Context;
use serde_json::{Value, json};

/// The page without data, which `npm run build` in `web/` writes.
const TEMPLATE: &str = include_str!("../../../../web/dist/report.html");
/// What the data replaces.
const PLACEHOLDER: &str = "%report data%";

/// The page with the data of traces.
pub fn html(traces: &[Value]) -> anyhow::Result<String> {
    let data = json!({ "version": env!("CARGO_PKG_VERSION"), "traces": traces });
    let (before, after) =
        TEMPLATE.split_once(PLACEHOLDER).context("the page of the report has no place for data")?;
    Ok(format!("{before}{}{after}", inert(&data.to_string())))
}

/// JSON that contains no tag or comment of HTML: names come from traces, and `</script>` in one
/// would end the element. In JSON, `<` occurs only within strings, where it can be escaped.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_cannot_end_its_element() {
        let name = "</script><script>alert(1)</script><!-- \\ \" & \u{2028}";
        let page = html(&[json!({ "name": name })]).unwrap();
        let start = "<script type=\"application/json\" id=\"report-data\">";
        let data = page.split_once(start).unwrap().1.split_once("</script>").unwrap().0;
        assert!(!data.contains('<'));
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["traces"][0]["name"], name);
    }

    #[test]
    fn the_template_has_one_place_for_data() {
        assert_eq!(TEMPLATE.matches(PLACEHOLDER).count(), 1);
    }
}

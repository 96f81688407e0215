//! The page itself, which `npm run build` in `web/` writes.

/// The page: HTML with all its scripts and styles.
pub const PAGE: &str = include_str!("../../../../web/dist/page.html");

/// The headers of the page's answer. Its own policy about scripts is in the page; a header is needed
/// to forbid that other pages frame it.
pub const PAGE_HEADERS: [(&str, &str); 4] = [
    ("content-type", "text/html; charset=utf-8"),
    ("content-security-policy", "frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    // A page of an older program would ask for answers that this one does not give.
    ("cache-control", "no-cache"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        assert!(PAGE.starts_with("<!doctype html>"));
        for loading in ["<script src", "<link rel=\"stylesheet\"", "@import", "url(http"] {
            assert!(!PAGE.contains(loading), "{loading}");
        }
        assert!(PAGE.contains("default-src 'none'"));
    }
}

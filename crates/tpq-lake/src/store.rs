//! Where the files of a lake are: a folder, or a place in an object store.

use std::fmt;
use std::path::{Component, Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::object_store::ObjectStoreUrl;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, parse_url_opts};

use crate::LakeError;

/// Prefixes of the environment variables with credentials and settings of object stores.
const SETTINGS: [&str; 4] = ["AWS_", "GOOGLE_", "AZURE_", "ALLOW_HTTP"];

/// The store of an address and the path in it, with settings of the environment.
pub(crate) fn store_of(url: &Url) -> Result<(Arc<dyn ObjectStore>, Path), object_store::Error> {
    let is_setting = |name: &str| SETTINGS.iter().any(|prefix| name.starts_with(prefix));
    let settings = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_setting(name));
    let (store, path) = parse_url_opts(url, settings)?;
    Ok((store.into(), path))
}

/// The files of a lake.
pub(crate) struct LakeStore {
    /// The address, without a slash at the end.
    url: String,
    store: Arc<dyn ObjectStore>,
    /// The part of the address that names the store itself.
    store_url: ObjectStoreUrl,
    /// The path of the lake within the store.
    root: Path,
}

impl LakeStore {
    /// Opens the store of an address: a folder, `s3://…`, `gs://…`, `az://…`, `file://…`.
    ///
    /// # Errors
    /// When the text is no address, or the store cannot be set up.
    pub(crate) fn open(address: &str) -> Result<Self, LakeError> {
        let wrong = |reason: String| LakeError::Address { address: address.to_owned(), reason };
        if address.is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        let url = match address.contains("://") {
            true => address.trim_end_matches('/').to_owned(),
            false => url_of_folder(FilePath::new(address)).map_err(wrong)?,
        };
        let parsed = ListingTableUrl::parse(&url).map_err(|error| wrong(error.to_string()))?;
        let (store, root) = store_of(parsed.get_url()).map_err(|error| wrong(error.to_string()))?;
        let store_url = parsed.object_store();
        Ok(Self { url, store, store_url, root })
    }

    /// The address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The address of the Delta table of a table.
    pub(crate) fn table_url(&self, table: &str) -> String {
        format!("{}/{table}/", self.url)
    }

    pub(crate) fn object_store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    pub(crate) fn object_store_url(&self) -> &ObjectStoreUrl {
        &self.store_url
    }

    /// The path of a file of a table.
    pub(crate) fn path(&self, table: &str, file: &str) -> Result<Path, LakeError> {
        let root = self.root.as_ref();
        let path = match root.is_empty() {
            true => format!("{table}/{file}"),
            false => format!("{root}/{table}/{file}"),
        };
        let path = path.trim_end_matches('/');
        Path::parse(path).map_err(|error| LakeError::Store(error.into()))
    }

    /// All bytes of a file.
    pub(crate) async fn read(&self, path: &Path) -> Result<Bytes, LakeError> {
        Ok(self.store.get(path).await?.bytes().await?)
    }

    /// All files of a table, among them those of its log.
    pub(crate) async fn list(&self, table: &str) -> Result<Vec<ObjectMeta>, LakeError> {
        let path = self.path(table, "")?;
        Ok(self.store.list(Some(&path)).try_collect().await?)
    }

    /// The names of all folders of the lake.
    pub(crate) async fn folders(&self) -> Result<Vec<String>, LakeError> {
        let found = self.store.list_with_delimiter(Some(&self.root)).await?;
        let names = found.common_prefixes.iter().filter_map(Path::filename);
        Ok(names.map(str::to_owned).collect())
    }

    /// The name of a file within the folder of its table.
    pub(crate) fn name_in<'a>(&self, table: &str, path: &'a Path) -> Option<&'a str> {
        let folder = self.path(table, "").ok()?;
        path.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')
    }

    /// Deletes a file. One that does not exist is deleted already.
    pub(crate) async fn delete(&self, path: &Path) -> Result<(), LakeError> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl fmt::Debug for LakeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LakeStore({})", self.url)
    }
}

/// The address of a folder, which need not exist.
fn url_of_folder(folder: &FilePath) -> Result<String, String> {
    let absolute = std::path::absolute(folder).map_err(|error| error.to_string())?;
    // `a/../b` is `b` to object stores.
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let path = plain.to_str().ok_or("the name of the folder is not Unicode")?;
    let mut url = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' => url.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(url.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_an_address() {
        let store = LakeStore::open("/tmp/x/../a b/ä").unwrap();
        assert_eq!(store.url(), "file:///tmp/a%20b/%C3%A4");
        assert_eq!(store.table_url("slice"), "file:///tmp/a%20b/%C3%A4/slice/");
        assert_eq!(
            store.path("slice", "day=x/1.parquet").unwrap().as_ref(),
            "tmp/a b/ä/slice/day=x/1.parquet"
        );
        assert!(LakeStore::open("").is_err() && LakeStore::open("nothing://x").is_err());
    }

    #[test]
    fn a_bucket_is_an_address() {
        let store = LakeStore::open("s3://traces/lake/").unwrap();
        assert_eq!(store.table_url("traces"), "s3://traces/lake/traces/");
        let path = store.path("traces", "a.parquet").unwrap();
        assert_eq!(path.as_ref(), "lake/traces/a.parquet");
        assert_eq!(store.name_in("traces", &path), Some("a.parquet"));
        let whole = LakeStore::open("s3://traces").unwrap();
        assert_eq!(whole.path("traces", "a.parquet").unwrap().as_ref(), "traces/a.parquet");
    }
}

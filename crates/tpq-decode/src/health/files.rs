//! Findings about whole files on open: unread members of an archive, and
//! why.

use tpq_tables::Stat;

use super::Finding;

/// Something about a file as a whole.
#[derive(Clone, Debug)]
pub enum FileRemark {
    /// Nothing of it could be read: its name, and why.
    Unreadable(String, String),
    /// Not all of it could be read: its name, and why.
    Cut(String, String),
    /// It was not read, and probably need not be: its name, and why.
    NotRead(String, String),
    /// It is unusual: its name, and what is.
    Irregular(String, String),
}

impl FileRemark {
    /// The stat that counts it.
    pub(crate) fn stat(&self) -> Stat {
        match self {
            Self::Unreadable(..) | Self::Cut(..) => Stat::TraceTruncatedBytes,
            Self::NotRead(..) => Stat::ArchiveMembersNotRead,
            Self::Irregular(..) => Stat::ArchiveIrregularities,
        }
    }

    /// The finding about the file.
    pub(crate) fn what(&self) -> &str {
        match self {
            Self::Unreadable(_, what)
            | Self::Cut(_, what)
            | Self::NotRead(_, what)
            | Self::Irregular(_, what) => what,
        }
    }

    /// The row of `data_loss` that says so.
    pub(super) fn finding(self, file: u32) -> Finding {
        let stat = self.stat();
        let only_notice = matches!(self, Self::NotRead(..) | Self::Irregular(..));
        let (kind, what, remedy) = match self {
            Self::Unreadable(name, why) => {
                let remedy =
                    "Unpack it with the program that packed it, or copy the archive again.";
                ("file_not_read", format!("{name} cannot be read: {why}."), remedy)
            }
            Self::Cut(name, why) => {
                let what = format!("{name} cannot be read as a whole: {why}.");
                ("file_cut_short", what, "Copy the file again.")
            }
            Self::NotRead(name, why) => {
                ("file_not_read", format!("{name} is not read: {why}."), "")
            }
            Self::Irregular(name, what) => {
                ("archive_irregular", format!("{name} is unusual: {what}."), "")
            }
        };
        Finding {
            kind,
            only_notice,
            what,
            remedy: remedy.to_owned(),
            stat: Some(stat),
            file: Some(file),
            ..Finding::default()
        }
    }
}

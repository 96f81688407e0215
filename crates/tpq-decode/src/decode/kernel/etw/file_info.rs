//! Names of operations on files and of what they ask for, by the numbers of Windows.

/// Operations on files, from number 64 on.
const OPERATIONS: [&str; 14] = [
    "CreateFile",
    "Cleanup",
    "Close",
    "ReadFile",
    "WriteFile",
    "SetInformation",
    "DeleteFile",
    "RenameFile",
    "DirectoryEnumeration",
    "Flush",
    "QueryFileInformation",
    "FilesystemControlEvent",
    "EndOperation",
    "DirectoryNotification",
];
const FIRST_OPERATION: u32 = 64;

/// Kinds of information on files, from number 1 on.
const CLASSES: [&str; 81] = [
    "FileDirectoryInformation",
    "FileFullDirectoryInformation",
    "FileBothDirectoryInformation",
    "FileBasicInformation",
    "FileStandardInformation",
    "FileInternalInformation",
    "FileEaInformation",
    "FileAccessInformation",
    "FileNameInformation",
    "FileRenameInformation",
    "FileLinkInformation",
    "FileNamesInformation",
    "FileDispositionInformation",
    "FilePositionInformation",
    "FileFullEaInformation",
    "FileModeInformation",
    "FileAlignmentInformation",
    "FileAllInformation",
    "FileAllocationInformation",
    "FileEndOfFileInformation",
    "FileAlternateNameInformation",
    "FileStreamInformation",
    "FilePipeInformation",
    "FilePipeLocalInformation",
    "FilePipeRemoteInformation",
    "FileMailslotQueryInformation",
    "FileMailslotSetInformation",
    "FileCompressionInformation",
    "FileObjectIdInformation",
    "FileCompletionInformation",
    "FileMoveClusterInformation",
    "FileQuotaInformation",
    "FileReparsePointInformation",
    "FileNetworkOpenInformation",
    "FileAttributeTagInformation",
    "FileTrackingInformation",
    "FileIdBothDirectoryInformation",
    "FileIdFullDirectoryInformation",
    "FileValidDataLengthInformation",
    "FileShortNameInformation",
    "FileIoCompletionNotificationInformation",
    "FileIoStatusBlockRangeInformation",
    "FileIoPriorityHintInformation",
    "FileSfioReserveInformation",
    "FileSfioVolumeInformation",
    "FileHardLinkInformation",
    "FileProcessIdsUsingFileInformation",
    "FileNormalizedNameInformation",
    "FileNetworkPhysicalNameInformation",
    "FileIdGlobalTxDirectoryInformation",
    "FileIsRemoteDeviceInformation",
    "FileUnusedInformation",
    "FileNumaNodeInformation",
    "FileStandardLinkInformation",
    "FileRemoteProtocolInformation",
    "FileRenameInformationBypassAccessCheck",
    "FileLinkInformationBypassAccessCheck",
    "FileVolumeNameInformation",
    "FileIdInformation",
    "FileIdExtdDirectoryInformation",
    "FileReplaceCompletionInformation",
    "FileHardLinkFullIdInformation",
    "FileIdExtdBothDirectoryInformation",
    "FileDispositionInformationEx",
    "FileRenameInformationEx",
    "FileRenameInformationExBypassAccessCheck",
    "FileDesiredStorageClassInformation",
    "FileStatInformation",
    "FileMemoryPartitionInformation",
    "FileStatLxInformation",
    "FileCaseSensitiveInformation",
    "FileLinkInformationEx",
    "FileLinkInformationExBypassAccessCheck",
    "FileStorageReserveIdInformation",
    "FileCaseSensitiveInformationForceAccessCheck",
    "FileKnownFolderInformation",
    "FileStatBasicInformation",
    "FileId64ExtdDirectoryInformation",
    "FileId64ExtdBothDirectoryInformation",
    "FileIdAllExtdDirectoryInformation",
    "FileIdAllExtdBothDirectoryInformation",
];
/// Kinds of information that decide what the number with them is.
pub(super) const DISPOSITION: u32 = 13;
pub(super) const ALLOCATION: u32 = 19;
pub(super) const END_OF_FILE: u32 = 20;

/// The name of an operation.
pub(super) fn operation(opcode: u32) -> Option<&'static str> {
    match opcode {
        79 => Some("DeletePath"),
        80 => Some("RenamePath"),
        _ => OPERATIONS.get(opcode.checked_sub(FIRST_OPERATION)? as usize).copied(),
    }
}

/// The name of a kind of information.
pub(super) fn class(number: u32) -> Option<&'static str> {
    CLASSES.get(number.checked_sub(1)? as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_number() {
        let operations = [63, 64, 76, 77, 78, 79, 80, 81].map(operation);
        let [end, notify] = [Some("EndOperation"), Some("DirectoryNotification")];
        let [delete, rename] = [Some("DeletePath"), Some("RenamePath")];
        assert_eq!(operations, [None, Some("CreateFile"), end, notify, None, delete, rename, None]);
        assert_eq!(class(DISPOSITION), Some("FileDispositionInformation"));
        assert_eq!(class(ALLOCATION), Some("FileAllocationInformation"));
        assert_eq!(class(END_OF_FILE), Some("FileEndOfFileInformation"));
        assert_eq!([class(0), class(82)], [None, None]);
        assert_eq!(class(64), Some("FileDispositionInformationEx"));
    }
}

-- Normalized names of Android slices, for grouping.

-- Replaces the variable parts of a slice name, such as numbers and files.
CREATE PERFETTO FUNCTION android_standardize_slice_name(
  -- Name of the slice, such as `Lock contention on thread list lock (owner tid: 1665)`.
  name STRING
)
-- Normalized name, such as `Lock contention on thread list lock <...>`; the name itself if no rule
-- matches.
RETURNS STRING AS
SELECT
  CASE
    WHEN $name GLOB 'Choreographer#doFrame*' THEN 'Choreographer#doFrame'
    WHEN $name GLOB 'DrawFrames*' THEN 'DrawFrames'
    WHEN $name GLOB 'JIT compiling*' THEN 'JIT compiling'
    WHEN $name GLOB 'Open dex file*' THEN 'Open dex file'
    WHEN $name GLOB 'Open oat file*' THEN 'Open oat file'
    WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'OpenDexFilesFromOat'
    WHEN $name GLOB 'VdexFile*' THEN 'VdexFile'
    WHEN $name GLOB 'GC: Wait For*' THEN 'Garbage Collector'
    WHEN $name GLOB 'FT#*' THEN 'FT#FrameTrackerEvent'
    WHEN $name GLOB 'setDisplayModePtr*' THEN 'setDisplayModePtr'
    WHEN $name GLOB 'present for Common Panel*' THEN 'present for Common Panel'
    WHEN $name GLOB 'Discarding old vsync*' THEN 'Discarding old vsync'
    WHEN $name GLOB 'android.os.Handler: kotlinx.coroutines*' THEN 'CoroutineContinuation'
    WHEN $name GLOB 'monitor contention with*' THEN 'monitor contention with <...>'
    WHEN $name GLOB 'SuspendThreadByThreadId*' THEN 'SuspendThreadByThreadId <...>'
    WHEN $name GLOB 'LoadApkAssetsFd*' THEN 'LoadApkAssetsFd <...>'
    WHEN $name GLOB 'LoadApkAssets*' THEN 'LoadApkAssets <...>'
    WHEN $name GLOB 'relayoutWindow*' THEN 'relayoutWindow <...>'
    WHEN $name GLOB 'onComposerHalVsync*' THEN 'onComposerHalVsync <...>'
    WHEN $name GLOB 'onHardwareVsyncRequest*' THEN 'onHardwareVsyncRequest <...>'
    WHEN $name GLOB 'openTypedAssetFile*' THEN 'openTypedAssetFile <...>'
    WHEN $name GLOB 'AssetManager::OpenXmlAsset*' THEN 'AssetManager::OpenXmlAsset <...>'
    WHEN $name GLOB 'AssetManager::OpenNonAsset*' THEN 'AssetManager::OpenNonAsset <...>'
    WHEN $name GLOB 'AssetManager::OpenAsset*' THEN 'AssetManager::OpenAsset <...>'
    WHEN $name GLOB 'enqueueDispatchEntryAndStartDispatchCycleLocked*'
      THEN 'enqueueDispatchEntryAndStartDispatchCycleLocked <...>'
    WHEN $name GLOB 'prepareDispatchCycleLocked*' THEN 'prepareDispatchCycleLocked <...>'
    WHEN $name GLOB 'beginFrame*' THEN 'beginFrame <...>'
    WHEN $name GLOB 'frameIsEarly*' THEN 'frameIsEarly <...>'
    WHEN $name GLOB 'dropping stale frameNumber*' THEN 'dropping stale frameNumber <...>'
    WHEN $name GLOB 'frameTimelineInfo*' THEN 'frameTimelineInfo <...>'
    WHEN $name GLOB 'requested config :*' THEN 'requested config : <...>'
    WHEN $name GLOB 'Over the RR duration:*' THEN 'Over the RR duration: <...>'
    WHEN $name GLOB '/data/app*.apk' THEN 'APK load'
    WHEN $name GLOB '*AssetLoader:*' THEN 'AssetLoader: <...>'
    WHEN $name GLOB '*AssetInputStream*' THEN 'AssetInputStream'
    WHEN $name GLOB '*DisplayInfo*' THEN 'DisplayInfo <...>'
    WHEN $name GLOB '*setFrameTimelineInfo*' THEN 'setFrameTimelineInfo <...>'
    WHEN $name GLOB 'Choreographer#onVsync*' THEN 'Choreographer#onVsync<...>'
    WHEN $name GLOB 'ensureMinFrameDurationIsKept*mNumVsyncsForFrame=*mPastExpectedPresentTimes.size()=*'
      THEN 'ensureMinFrameDurationIsKept mNumVsyncsForFrame=<...> mPastExpectedPresentTimes.size()=<...>'
    WHEN $name GLOB 'wait for earliest present time*' THEN 'wait for earliest present time <vsync>'
    WHEN $name GLOB 'unsync-vsync-id=* isSfChoreo=false'
      THEN 'unsync-vsync-id=<...> isSfChoreo=false'
    WHEN $name GLOB 'unsync-vsync-id=* isSfChoreo=true' THEN 'unsync-vsync-id=<...> isSfChoreo=true'
    WHEN $name GLOB 'Sensor event from com.google.sensor.camera_vsync*'
      THEN 'Sensor event from com.google.sensor.camera_vsync <...>'
    WHEN $name GLOB 'appSf alarm*;*VSYNC in*' THEN 'appSf alarm in <...>; vsync in <...>'
    WHEN $name GLOB 'app alarm*;*VSYNC in*' THEN 'app alarm in <...>; vsync in <...>'
    WHEN $name GLOB 'sf alarm*;*VSYNC in*' THEN 'sf alarm in <...>; vsync in <...>'
    WHEN $name GLOB 'mLastCommittedVsync in*' THEN 'mLastCommittedVsync in <...>'
    WHEN $name GLOB 'present for*vsyncIn*' THEN 'present for vsync in <...>'
    WHEN $name GLOB 'Not-Adjusting vsync by*' THEN 'Not-Adjusting vsync by <...>'
    WHEN $name GLOB 'adjusting vsync by*' THEN 'adjusting vsync by <...>'
    WHEN $name GLOB '*AChoreographer_vsyncCallback*' THEN 'AChoreographer_vsyncCallback <...>'
    WHEN $name GLOB '*isVsyncValid*' THEN 'isVsyncValid <...>'
    WHEN $name GLOB '*lastVsyncDelta*' THEN 'lastVsyncDelta=<...>'
    WHEN $name GLOB '*vsync*in*' THEN 'vsync in <...>'
    WHEN $name GLOB 'Lock contention on* (*' THEN substr($name, 1, instr($name, ' (')) || '<...>'
    WHEN $name GLOB '*Handler: *$*'
      THEN split_part(substr($name, instr($name, 'Handler:')), '$', 1)
    WHEN $name GLOB '*.*.*: *$*' OR $name GLOB '*.*$*: #*'
      THEN 'Handler: ' || split_part($name, '$', 1)
    ELSE $name
  END;

package footprint

// PoolsFor returns the pools of the lanes for a memory limit of the runtime.
var PoolsFor = poolsFor

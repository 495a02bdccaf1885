package access

// BoundGroup binds a group of a chat platform, by its native id, to the group of that name. The
// names that groups have on platforms count nowhere: whoever may rename one would be whoever may
// read what is for it.
type BoundGroup struct{ ID, Name string }

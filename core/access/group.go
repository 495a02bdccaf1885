package access

// BoundGroup maps the id of a group on a chat platform to a group name in access lists. The name of
// the group on the platform is ignored, so that renaming a group grants no access.
type BoundGroup struct{ ID, Name string }

package github

// OwnersOf is who owns a file by the CODEOWNERS of a folder.
func OwnersOf(folder, name string) string { return readOwners(folder).of(name) }

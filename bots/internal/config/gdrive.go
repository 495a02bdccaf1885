package config

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// GoogleDrive is what is read of Google Drive.
type GoogleDrive struct {
	URL       string           `json:"url,omitempty"`      // instead of Google's own addresses
	Admin     string           `json:"admin,omitempty"`    // address of an administrator; empty: the service account has a role itself
	Customer  string           `json:"customer,omitempty"` // id of the organisation; empty: the administrator's
	Reader    string           `json:"reader,omitempty"`   // address of whoever is a member of the shared drives; empty: the service account is
	Drives    []string         `json:"drives,omitempty"`   // ids; none: all that the reader is a member of
	MyDrives  bool             `json:"my_drives,omitempty"`
	Users     []string         `json:"users,omitempty"`
	Links     bool             `json:"links,omitempty"`
	ACL       access.ACL       `json:"acl,omitempty"`       // one more condition
	Anonymous access.Principal `json:"anonymous,omitempty"` // members, public, or empty: no one
}

var googleDriveSystem = system{
	key:     "google_drive",
	set:     func(s *Systems) bool { return s.GoogleDrive != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.googleDrive(&s.GoogleDrive) },
	readers: "Google Drive: each file is read by whoever may read it there (google_drive.acl narrows that), and google_drive.drives and my_drives say what is read",
	keys: []FileKey{
		{"sources.NAME.google_drive", "the keys below it", "", "Google Drive, each file read by whoever may read it there. See google-drive.md"},
		{"sources.NAME.google_drive.admin", "an address", "the service account", "an administrator for whom the directory of people and groups is read"},
		{"sources.NAME.google_drive.customer", "an id such as C012ab3cd", "the administrator's", "the organisation whose directory is read; needed without admin, since a service account belongs to none"},
		{"sources.NAME.google_drive.reader", "an address", "the service account", "who is a member of the shared drives that are read"},
		{"sources.NAME.google_drive.drives", "a list of ids", "all of the reader's", "shared drives that are read"},
		{"sources.NAME.google_drive.my_drives", "true or false", "false", "what people own is read, too, by domain-wide delegation"},
		{"sources.NAME.google_drive.users", "a list of addresses", "everybody", "whose own drives are read, with my_drives"},
		{"sources.NAME.google_drive.links", "true or false", "false", "what was shared with anyone who has the link is read by everybody in the directory, or in the link's domain; otherwise such a share lets no one in"},
		{"sources.NAME.google_drive.anonymous", "members, public or nobody", "nobody", "who may read what everybody on the internet can find in Google"},
		{"sources.NAME.google_drive.acl", "an access list", "", "who may read any of it, in addition to what Google says: both must allow a reader"},
		{"sources.NAME.google_drive.url", "an address", "Google's own", "where Google's APIs are asked instead, such as a gateway"},
	},
}

// googleDrive reads what of Google Drive is a source.
func (r *fileReader) googleDrive(to **GoogleDrive) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		g := &GoogleDrive{}
		anonymous := "nobody"
		before := len(r.faults)
		r.fields(path, n,
			field{"url", r.url(&g.URL)},
			field{"admin", r.text(&g.Admin)},
			field{"customer", r.text(&g.Customer)},
			field{"reader", r.text(&g.Reader)},
			field{"drives", r.texts(&g.Drives)},
			field{"my_drives", r.yes(&g.MyDrives)},
			field{"users", r.texts(&g.Users)},
			field{"links", r.yes(&g.Links)},
			field{"anonymous", word(&r.reader, &anonymous, "members", "public", "nobody")},
			field{"acl", r.acl(&g.ACL)},
		)
		if anonymous != "nobody" {
			g.Anonymous = access.Principal(anonymous)
		}
		if len(g.Users) > 0 && !g.MyDrives && len(r.faults) == before {
			r.fault(n, "%s.users names people whose own drives are not read: write my_drives: true as well", path)
		}
		*to = g
	}
}

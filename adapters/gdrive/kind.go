package gdrive

import (
	"fmt"
	"os"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

const keyEnv = "GOOGLE_KEY_FILE"

// Statement describes Google Drive as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "Docs, Sheets, Slides and files of Google Drive: shared drives, and what people own",
		Help:   "Google Drive, each file read by whoever may read it there. See google-drive.md",
		Access: "Google Drive: each file is read by whoever may read it there (google_drive.acl narrows that), and google_drive.drives and my_drives say what is read",
		Steps: []string{
			"In the Google Cloud console make a project, and enable the Google Drive API and the Admin SDK API (APIs & Services → Library). With the Google Docs, " +
				"Sheets and Slides APIs, answers link to the tab, sheet or slide.",
			"In the project make a service account (IAM & Admin → Service accounts) and a key for it (Keys → Add key → JSON). Keep the file where only Footnote " +
				"reads it. The account needs no role in the project.",
			"Shared drives: make the service account a Manager of each that is to be read (Manage members, by its address). A lower role does not see who may read " +
				"folders with limited access. Footnote only reads.",
			"People and groups: in the Admin console choose Security → Access and data control → API controls → Domain-wide delegation → Add new, with the service " +
				"account's client id and the scopes below. As admin, name an administrator who may read users and groups. Instead, you can give the service account " +
				"itself an administrator's role that reads users and groups (Account → Admin roles): leave admin out, and write the organisation's customer ID (Account " +
				"→ Account settings) as customer.",
			"What people own (my_drives) is read for each person by the same delegation. It lets the service account read every file of the people for whom it " +
				"acts. To read only shared drives, leave the scope of Drive out of the delegation.",
		},
		Rights: []sources.Right{
			{Name: "https://www.googleapis.com/auth/drive.readonly", Reason: "files, whom they are shared with, and the logs of changes; by delegation only for my_drives, or with reader"},
			{Name: "https://www.googleapis.com/auth/admin.directory.user.readonly", Reason: "people and their addresses"},
			{Name: "https://www.googleapis.com/auth/admin.directory.group.readonly", Reason: "groups"},
			{Name: "https://www.googleapis.com/auth/admin.directory.group.member.readonly", Reason: "who is in a group, and in groups within it"},
		},
		Credentials: []sources.Credential{{
			Env: keyEnv, File: true,
			Help: "file of the key of the service account with which sources of Google Drive are read, as Google gave it out (JSON)",
		}},
		Secret: sources.Secret{
			Env: keyEnv, What: "the file of the service account's key, in JSON, as Google gave it out",
			Set: func(value func(string) string) bool { return value(keyEnv) != "" },
		},
		Bound: "A file is read by the people with whom it, a folder above it or its shared drive was shared. Above a folder with limited access, only owners and " +
			"Managers count. Links for anyone who has them let no one in, unless links changes that. People are matched by the directory's addresses in the domains " +
			"of identity.domains. Members, groups and logs of changes are read every five minutes, plus the time that the reading takes. A full scan each hour " +
			"notices what no log tells, such as grants below a folder that was deleted for good.",
		Paused: "it is hidden from everyone",
		Unit:   "folders, and files shared by themselves",
		Empty:  "the account sees nothing: make it a Manager of the shared drives that are to be read, or say my_drives",
		Looks:  Looks,
		Source: SourceOf,
		Called: func(map[string]string) string { return "drive" },
		New:    func() sources.Settings { return new(Settings) },
	}
}

// Settings are a source's settings in footnote.yaml.
type Settings struct {
	URL string `json:"url,omitempty"` // replaces Google's addresses
	// address of an administrator; empty: the service account
	Admin    string `json:"admin,omitempty"`
	Customer string `json:"customer,omitempty"` // id of the organisation; empty: the administrator's
	// address of a member of the drives; empty: the service account
	Reader   string   `json:"reader,omitempty"`
	Drives   []string `json:"drives,omitempty"` // ids of shared drives; empty: all of the reader's
	MyDrives bool     `json:"my_drives,omitempty"`
	Users    []string `json:"users,omitempty"`
	Links    bool     `json:"links,omitempty"`
	// ACL is an additional condition for reading any document.
	ACL access.ACL `json:"acl,omitempty"`
	// Anonymous is "members", "public", or empty for no one.
	Anonymous access.Principal `json:"anonymous,omitempty"`
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	const yes = "true or false"
	return []sources.Setting{
		{
			Key: "admin", Bind: &s.Admin, Values: "an address", Default: "the service account",
			Ask:  "Which administrator is the directory of people and groups read for (an address; empty: the service account has an administrator's role itself)?",
			Help: "an administrator for whom the directory of people and groups is read",
		},
		{
			Key: "customer", Bind: &s.Customer, Values: "an id such as C012ab3cd", Default: "the administrator's",
			Ask:  "Without an administrator: which organisation (its customer ID, such as C012ab3cd; Admin console → Account → Account settings)?",
			Help: "the organisation whose directory is read; needed without admin, since a service account belongs to none",
		},
		{
			Key: "drives", Bind: &s.Drives, Values: "a list of ids", Default: "all of the reader's",
			Ask:  "Which shared drives (their ids, between commas; empty: all that the account is a member of)?",
			Help: "shared drives that are read",
		},
		{
			Key: "reader", Bind: &s.Reader, Values: "an address", Default: "the service account",
			Ask:  "Who is a member of the shared drives (an address; empty: the service account itself)?",
			Help: "who is a member of the shared drives that are read",
		},
		{
			Key: "my_drives", Bind: &s.MyDrives, Values: yes, Default: "false",
			Ask:  "Is what people own read, too, by domain-wide delegation (true or false; empty: false)?",
			Help: "what people own is read, too, by domain-wide delegation",
		},
		{
			Key: "users", Bind: &s.Users, Values: "a list of addresses", Default: "everybody",
			Ask:  "Whose own drives (addresses, between commas; empty: everybody's)?",
			Help: "whose own drives are read, with my_drives",
		},
		{
			Key: "links", Bind: &s.Links, Values: yes, Default: "false",
			Ask:  "Is what was shared with anyone who has the link read by everybody in the directory (true or false; empty: only by those who are named)?",
			Help: "what was shared with anyone who has the link is read by everybody in the directory, or in the link's domain; otherwise such a share lets no one in",
		},
		{
			Key: "anonymous", Bind: sources.Audience{To: &s.Anonymous}, Values: sources.AudienceWords, Default: sources.NoOne,
			Ask:  "Who may read what everybody on the internet can find (" + sources.AudienceWords + "; empty: only those who are named)?",
			Help: "who may read what everybody on the internet can find in Google",
		},
		{
			Key: "acl", Bind: &s.ACL, Values: "an access list",
			Ask:  "Who may read any of it, in addition to what Google says (empty: no other condition)?",
			Help: "who may read any of it, in addition to what Google says: both must allow a reader",
		},
		{
			Key: "url", Bind: sources.Address{To: &s.URL}, Values: "an address", Default: "Google's own",
			Help: "where Google's APIs are asked instead, such as a gateway",
		},
	}
}

// Fault implements sources.Settings.
func (s *Settings) Fault(path string) string {
	if len(s.Users) == 0 || s.MyDrives {
		return ""
	}
	return fmt.Sprintf("%s.users names people whose own drives are not read: write my_drives: true as well", path)
}

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) {
		config := Config{URL: s.URL, AllowHosts: o.AllowHosts, CAFile: o.CAFile}
		if file := o.Credential(keyEnv); file != "" {
			key, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", keyEnv, err)
			}
			config.Key = key
		}
		return New(config)
	})
	if err != nil {
		return nil, err
	}
	return NewConnector(client, Options{
		Name: o.Name, Admin: s.Admin, Customer: s.Customer, Reader: s.Reader, Drives: s.Drives, MyDrives: s.MyDrives, Users: s.Users, Links: s.Links, ACL: s.ACL,
		Anonymous: s.Anonymous, Wanted: o.Wanted, MaxBytes: min(o.MaxBytes, MostOfFile), Read: o.Read,
	})
}

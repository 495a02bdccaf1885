package wire

import (
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/bots/internal/config"
)

func googleDriveKind() Kind {
	return Kind{
		Name: "google_drive", Title: "Docs, Sheets, Slides and files of Google Drive: shared drives, and what people own",
		Keys: []Key{
			{Path: "google_drive.admin", Ask: "Which administrator is the directory of people and groups read for (an address; empty: the service account has an administrator's role itself)?"},
			{Path: "google_drive.customer", Ask: "Without an administrator: which organisation (its customer ID, such as C012ab3cd; Admin console → Account → Account settings)?"},
			{Path: "google_drive.drives", Ask: "Which shared drives (their ids, between commas; empty: all that the account is a member of)?", Sort: List},
			{Path: "google_drive.reader", Ask: "Who is a member of the shared drives (an address; empty: the service account itself)?"},
			{Path: "google_drive.my_drives", Ask: "Is what people own read, too, by domain-wide delegation (true or false; empty: false)?", Sort: Yes},
			{Path: "google_drive.users", Ask: "Whose own drives (addresses, between commas; empty: everybody's)?", Sort: List},
			{Path: "google_drive.links", Ask: "Is what was shared with anyone who has the link read by everybody in the directory (true or false; empty: only by those who are named)?", Sort: Yes},
			{Path: "google_drive.anonymous", Ask: "Who may read what everybody on the internet can find (members, public or nobody; empty: only those who are named)?"},
			{Path: "google_drive.acl", Ask: "Who may read any of it, in addition to what Google says (empty: no other condition)?", Sort: List},
			{Path: "google_drive.url"},
			schedule,
		},
		Steps: []string{
			"In the Google Cloud console make a project, and enable the Google Drive API, the Admin SDK API and the Google Docs API (APIs & Services → Library). Without the last one tabs of Docs are not led to. " +
				"With the Google Sheets API and the Google Slides API answers lead to the sheet or slide.",
			"Make a service account in it (IAM & Admin → Service accounts), and a key of it (Keys → Add key → JSON); keep the file where only Footnote reads it. No role in the project is needed.",
			"Shared drives: make the service account a Manager of each that is to be read (Manage members, by its address). A lower role is not shown who may read folders with limited access. What it asks for only reads.",
			"People and groups: in the Admin console, Security → Access and data control → API controls → Domain-wide delegation → Add new, with the service account's client id and the scopes below, and name an administrator as admin " +
				"who may read users and groups. Instead, give the service account itself an administrator's role that reads users and groups (Account → Admin roles), leave admin out, and write the organisation's customer ID (Account → Account settings) as customer.",
			"What people own (my_drives) is read for each of them by the same delegation: it lets the service account read every file of everybody whom it acts for. Leave the scope of Drive out of the delegation where only shared drives are read.",
		},
		Rights: []Right{
			{"https://www.googleapis.com/auth/drive.readonly", "files, whom they are shared with, and the logs of changes; by delegation only for my_drives, or with reader"},
			{"https://www.googleapis.com/auth/admin.directory.user.readonly", "people and their addresses"},
			{"https://www.googleapis.com/auth/admin.directory.group.readonly", "groups"},
			{"https://www.googleapis.com/auth/admin.directory.group.member.readonly", "who is in a group, and in groups within it"},
		},
		Secrets: []Secret{{
			Env:  "GOOGLE_KEY_FILE",
			What: "the file of the service account's key, in JSON, as Google gave it out",
			set:  func(c *config.Config) bool { return c.GoogleKeyFile != "" },
		}},
		Bound: "A file is read by whom it was shared with, and by whom a folder above it or the shared drive was shared with, up to a folder with limited access: past that only owners and Managers. A share with anyone who has the link lets no one in " +
			"unless links says otherwise. People are known by the addresses of the directory, of domains in identity.domains. Members, groups and the logs of changes are read every five minutes, as long as that takes; what no log " +
			"tells, such as grants below a folder that was deleted for good, is noticed when everything is looked at, each hour.",
		Paused: "it is hidden from everyone",
		Unit:   "folders, and files shared by themselves",
		Empty:  "the account sees nothing: make it a Manager of the shared drives that are to be read, or say my_drives",
		Looks:  gdrive.Looks,
		holds:  func(s config.Source) bool { return s.GoogleDrive != nil },
		calls:  func(map[string]string) string { return "drive" },
		source: named(gdrive.SourceOf), connect: connectGoogleDrive,
		check: checked(connectGoogleDrive),
	}
}

package upload

import (
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/plural"
)

// Replies to people who upload files.
const (
	SayMembersOnly    = "Only full members can keep files in projects. Ask one of them to do it."
	SayUnknownPerson  = "Who you are cannot be found out at the moment, so nothing was kept. Try again in a minute."
	SayUnknownReaders = "Who can read this channel cannot be found out at the moment, so nothing was kept. Try again in a minute."
	SayNothing        = "No file came with your message. Attach files to the message that says where to keep them."
	SayNotHere        = "Files cannot be kept here."
	SayTooLarge       = "It is larger than 20 MB. Keep the part that matters."

	SayBusy = "Too many files are being kept at the moment, so nothing was kept. Try again in a minute."

	sayFull     = "The project has 100 files, and has no room for more. Remove one first."
	sayTaken    = "Someone else kept a file of that name here. Rename yours, or ask them to remove theirs."
	sayNoRoom   = "The database has no room for it. Tell the people who run Footnote, and try again later."
	sayBroken   = "It could not be stored. Nothing has changed. Try again in a minute."
	sayNoName   = "Its name has no letter or digit. Rename it."
	sayEmpty    = "It is empty."
	sayBusy     = "Too many files are being read at the moment. Try again in a minute."
	sayLate     = "It had too little time, because other files took so long. Keep it with a separate message."
	sayTooLong  = "It takes too long to read. Keep the part that matters."
	sayNoText   = "No text was found in it. If it is a scan, keep its text."
	sayNoFile   = "There is no such file. The list has the ids."
	sayNotYours = "Only the person who kept it, or an administrator, can remove it."
)

// SayAbsent is the reply for a project that does not exist. It is also the reply for a project
// whose existence must not be revealed.
func SayAbsent(name string) string {
	return fmt.Sprintf("There is no project %s. The projects are listed by `/footnote files`.", Code(name))
}

func sayNameOne(visible []Project) string {
	if len(visible) == 0 {
		return "There is no project to keep files in."
	}
	names := make([]string, len(visible))
	for i, p := range visible {
		names[i] = Code(p.Name)
	}
	return fmt.Sprintf("Name a project: write `keep this in project NAME`. The projects are %s.", strings.Join(names, ", "))
}

// Code formats a name as Markdown code, on one line.
func Code(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " ")
	if r := []rune(text); len(r) > MaxName {
		text = string(r[:MaxName-1]) + "…"
	}
	return "`" + text + "`"
}

// sentence converts the text of an error to a sentence: "file is empty" to "File is empty."
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > 0 {
		text = strings.ToUpper(string(r[:1])) + string(r[1:])
	}
	return strings.TrimRight(text, ".") + "."
}

// maxSaid is the maximum number of characters in a reply that are about single files. The whole
// reply then fits into a message of Discord.
const maxSaid = 1100

// SayOutcomes returns the reply that lists which files were kept and which were not. chat says that
// the files came with a chat message.
func SayOutcomes(p Project, readers access.ACL, all []Outcome, chat bool) string {
	if len(all) == 0 {
		return SayNothing
	}
	var kept, refused []string
	more, length := 0, 0
	for _, o := range all {
		if length > maxSaid {
			more++
			continue
		}
		length += len([]rune(o.Name)) + len([]rune(o.Refused)) + 70 // with the words around them
		if o.Refused != "" {
			refused = append(refused, fmt.Sprintf("%s was not kept: %s", Code(o.nameOr("a file")), lower(o.Refused)))
			continue
		}
		what := map[Became]string{Added: "", Replaced: ", in place of the version before", Unchanged: ", as it was before"}[o.Became]
		kept = append(kept, fmt.Sprintf("%s (id `%s`%s)", Code(o.Name), o.ID, what))
	}
	var lines []string
	if len(kept) > 0 {
		line := fmt.Sprintf("Kept in the project %s: %s. %s", Code(p.Name), strings.Join(kept, ", "), SayReaders(readers))
		if chat {
			line += fmt.Sprintf(" Deleting your message, or `/footnote files remove ID`, removes %s.", map[bool]string{true: "it", false: "them"}[len(kept) == 1])
		}
		lines = append(lines, line)
	}
	lines = append(lines, refused...)
	if more > 0 {
		line := fmt.Sprintf("and %d more", more)
		if chat {
			line += ": `/footnote files`"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (o Outcome) nameOr(other string) string {
	if o.Name == "" {
		return other
	}
	return o.Name
}

// lower converts a sentence to the end of another sentence: "It is empty." to "it is empty."
func lower(s string) string {
	if strings.HasPrefix(s, "It ") || strings.HasPrefix(s, "No ") || strings.HasPrefix(s, "The ") {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// SayReaders returns a sentence that says who may read a kept file.
func SayReaders(readers access.ACL) string {
	if len(readers) == 1 {
		switch readers[0].Kind() {
		case "user":
			return "Only you can find it, in private answers."
		case "channel":
			return "Whoever is in this channel can find it: here, and in private answers. Other channels cannot."
		case string(access.Members):
			return "Every full member can find it."
		case string(access.Public):
			return "Everyone can find it."
		}
	}
	return "Those who may read the project can find it."
}

// SayList returns the text of a list of files for one person, who may read all of them. It also
// says how to keep a file.
func SayList(projects []Project, all []File) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "\n- `%s`: %s in %s, %s, %s", f.ID, Code(f.Name), Code(f.Project), size(f.Size), f.At.UTC().Format("2006-01-02"))
	}
	if b.Len() == 0 {
		b.WriteString("No files that you may read are kept.")
	} else {
		b.WriteString("\n\nTo remove one, write `/footnote files remove ID`.")
	}
	names := make([]string, len(projects))
	for i, p := range projects {
		names[i] = Code(p.Name)
	}
	how := "There is no project to keep files in."
	if len(names) > 0 {
		how = fmt.Sprintf("To keep one, attach it to a message that mentions me and says `keep this in project NAME`. The projects are %s.", strings.Join(names, ", "))
	}
	head := ""
	if len(all) > 0 {
		head = plural.Count(len(all), "kept file") + ":\n"
	}
	return head + b.String() + "\n\n" + how
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d kB", n>>10)
	default:
		return plural.Count(int(n), "byte")
	}
}

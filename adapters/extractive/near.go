package extractive

import (
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// People ask in other words than documents are written in. These are words of plain English, and of
// work with computers, that often stand for one another; each line is a group. What is said with
// such a word counts a part of what the word itself would.
const groups = `kill stop cancel terminate abort interrupt
	delete remove drop erase discard clear clean
	list show display print view see inspect
	create make add
	change modify update edit alter adjust touch
	ask request apply
	fix repair solve resolve remedy
	recover restore rescue salvage
	begin start launch
	finish complete done
	copy duplicate backup
	cost price fee charge
	ill sick
	vacation holiday leave
	salary pay wage
	allow permit
	lose lost missing gone disappear vanish
	find search locate
	fast quick speed performance
	large big huge
	shrink reduce smaller slim
	undo revert rollback
	get obtain fetch retrieve extract
	insert add store save
	picture image photo
	folder directory
	computer machine host laptop
	run execute
	forbid prevent deny refuse reject block blacklist denylist ban
	restart reload
	memory ram
	forward redirect
	secondary slave replica standby
	primary master
	expire timeout
	upgrade migrate
	enable activate
	join combine merge squash
	check verify test validate
	send submit
	tell inform notify report
	boss manager
	hang stuck freeze
	record row
	newest latest recent
	earlier previous former
	guard protect
	limit maximum
	need require
	choose select pick
	buy purchase order
	rename name
	wrong incorrect mistake
	attach append
	separate distinct different
	ignore skip exclude
	answer reply respond
	meaning definition
	mail email e-mail
	phone telephone
	crash failure
	space disk
	own owner
	decide decision
	write author
	dump dispose waste rubbish garbage trash litter`

// near maps the stem of a word to those of the words that may stand for it.
var near = grouped(groups)

func grouped(lines string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(lines) {
		var stems []string
		for word := range strings.FieldsSeq(line) {
			for _, t := range analyse.Query(word, nil) {
				stems = append(stems, t.Text)
				break
			}
		}
		for _, a := range stems {
			for _, b := range stems {
				if a != b {
					out[a] = append(out[a], b)
				}
			}
		}
	}
	return out
}

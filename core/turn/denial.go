package turn

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// denials matches text that says that the documents do not answer the question, in several
// languages.
var denials = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(could|can|did|was|were|am|is|are)(\s*n[o']t|n['’]t|not)\s+(\w+\s+){0,3}(find|found|locate|answer|answered|mentioned|covered|described|documented|see anything)\b`,
	`\bcannot\s+(\w+\s+){0,2}(find|locate|answer)\b`,
	`\b(nothing|no (information|mention|answer|document|documents|passage|passages|source|sources|details|record|results?))\b.{0,60}\b(found|find|documents?|sources?|passages?|results|search|mentions?|describes?|answers?|covers?|says?)\b`,
	`\b(found|find|there (is|are))\s+(nothing|no (information|mention|answer|documents?|passages?|sources?|details|results?))\b`,
	`\b(documents?|sources?|passages?|pages|results|search|excerpts?|context)\b.{0,60}\b(do|does|did|is|are|was|were|has|have)(\s+not|n['’]t)\b`,
	`\b(documents?|sources?|passages?|pages|results|search|excerpts?|context)\b.{0,40}\b(contains?|holds?|says?|gives?|has|have|mentions?|found|returned)\s+(nothing|no)\b`,
	`\b(dokument\w*|unterlagen|quellen|suche|texten?|passagen)\b.{0,80}\b(nicht|nichts|kein\w*)\b`,
	`\b(nicht|nichts|kein\w*)\b.{0,60}\b(gefunden|finden|dokument\w*|unterlagen|quellen|beantwort\w*)`,
	`\b(documents?|sources?|passages?|recherche|textes?)\b.{0,60}\bn(e\b|['’]).{0,40}\b(pas|aucun\w*|rien)\b`,
	`\b(rien|aucun\w*|pas)\b.{0,40}(trouv\w+|documents?|sources?)`,
	`\b(documentos?|fuentes?|pasajes?|resultados?)\b.{0,20}\bno\b`,
	`\bno\b.{0,30}(encontr\w+|hall\w+|aparece\w*|se menciona\w*)`,
	`\b(documenti|fonti|passaggi)\b.{0,20}\bnon\b`, `\bnon\b.{0,30}(trovat\w+|trovo)`,
	`\b(documentos?|fontes?)\b.{0,20}\bnão\b`, `\bnão\b.{0,30}(encontr\w+)`,
	`\b(documenten|bronnen)\b.{0,40}\b(niet|niets|geen)\b`, `\b(niet|niets|geen)\b.{0,40}(gevonden|documenten)`,
	`(見つかりません|見つかりませんでした|記載(が|は)?(ありません|ない)|没有找到|未找到|找不到|没有提到|찾을 수 없|찾지 못)`,
}, `|`))

// denialRunes is the number of characters at the beginning of an answer in which denials are looked
// for. A later denial is about only a part of the question.
const denialRunes = 240

func denies(text string) bool {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return denials.MatchString(string(runes[:min(len(runes), denialRunes)]))
}

// baseless reports whether the passages support none of an answer's citations. A passage supports a
// citation if it shares a word or number with the citing sentence. An answer without citations is
// not baseless.
func baseless(text string, passages map[int][]string) bool {
	cited := false
	language := analyse.Guess(text)
	for sentence, numbers := range cite.Sentences(text, func(int) bool { return true }) {
		for _, n := range numbers {
			// unavailable passages and passages in another language cannot be compared
			shown := passages[n]
			if shown == nil || cite.Supported(sentence, shown) > 0 || analyse.Guess(strings.Join(shown, "\n")) != language {
				return false
			}
			cited = true
		}
	}
	return cited
}

func deniesOnly(text string) bool {
	return len([]rune(strings.TrimSpace(text))) <= denialRunes && denies(text)
}

package analyse

import "strings"

// stopWords returns the stop words of a language, separated by spaces. [Guess] also uses them to
// identify languages.
func stopWords(language string) string {
	switch language {
	case "en":
		return `a about above after again against all also am an and any are as at be because been before being below between both but by can
could d did do does doing don down during each few for from further had has have having he her here hers herself him himself
his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once only or other our ours
ourselves out over own re s same she should so some such t than that the their theirs them themselves then there these they
this those through to too under until up ve very was we were what when where which while who whom why will with would you
your yours yourself yourselves`
	case "de":
		return `aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den denn der des dich die dies diese
diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben
hat hatte hier hinter ich ihm ihn ihnen ihr ihre im in indem ins ist ja jede jeder jedes jetzt kann kein keine können könnte
machen man mein mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sollte
sondern sonst über um und uns unser unter viel vom von vor während war waren warum was weil welche welcher wenn wer werde
werden wie wieder will wir wird wo wurde wurden zu zum zur zwar zwischen`
	case "fr":
		return `à ai au aucun aussi autre aux avec avez avoir avons c car ce cela ces cet cette ceux comme comment d dans de des donc dont du
elle elles en est et étaient était être eu eux fait faire il ils j je l la le les leur leurs lui m ma mais me même mes moi
mon n ne nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle qui s sa sans se sera ses si
son sont sous sur t ta te tes toi ton tous tout toute très tu un une vos votre vous y`
	case "es":
		return `a al algo ante antes aquí así aunque cada como cómo con contra cual cuál cuando cuándo de del desde donde dónde dos e el él
ella ellas ellos en entre era eran es esa ese eso esta está están estas este esto estos fue fueron ha hace hacer han hasta
hay la las le les lo los más me mi mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco por
porque puede que qué quien quién se ser si sí sin sobre son su sus también tan te tiene todo todos tu tus un una unas uno
unos y ya yo`
	case "it":
		return `a ad ai al alla alle anche avere c che chi ci come con cosa da dai dal dalla dalle degli dei del dell della delle di dove due
e è ed era essere fa gli ha hanno ho i il in io l la le lei li lo loro lui ma me mi mio molto ne nei nel nella nelle no noi
non nostra nostro o ogni per perché più può qual quale quando quanto quella quello questa queste questi questo qui se sei si
sia sono sta su sua sue sui sul sulla suo suoi ti tra tu tua tuo un una uno vi voi`
	case "pt":
		return `a ao aos às as até com como da das de dela dele deles depois do dos e é ela elas ele eles em entre era essa esse esta está
estão este eu faz foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós nossa nosso o
onde os ou para pela pelas pelo pelos por porque pode qual quando que quem são se sem ser seu seus só sua suas também te tem
ter teu toda todo todos tu um uma você vocês`
	case "nl":
		return `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doen door dus een en er ge geen had heb hebben heeft
hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog
nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was
wat we wel werd wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou`
	case "sv":
		return `alla allt att av blev bli blir då de dem den denna deras dess det detta dig din dina dock du där efter ej eller en er ett
finns för från få ha hade han hans har hon hur i icke in inga ingen inte jag ju kan kunde man med mellan men mig min mina mot
mycket ni nu när någon något några och om oss på samma sedan sig sin sina ska skulle så sådan till under upp ut utan vad var
vara vart varför vem vi vid vilken vill`
	case "da":
		return `af alle at blev bliver da de dem den denne der deres det dette dig din disse du efter eller en end er et for fra får ham han
hans har havde hende her hos hun hvad hvem hvis hvor hvordan hvorfor i ikke ind jeg jer jo kan kunne man mange med meget men
mig min mod når ned noget nogle nu og også om op os på sig sin skal skulle som så til ud under var ved vi vil ville være
været`
	case "no":
		return `alle at av bare begge ble blir bli både da de deg dem den denne der dere deres det dette din disse du då eller en enn er et
etter for fordi fra før ha hadde han hans har henne hennes her hun hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke
ingen inn jeg kan kunne man mange med meg meget men mer min mot mye må nei noe noen nå når og også om opp oss over på samme
seg selv sin skal skulle slik som så til ut uten var ved vi vil ville vår være`
	case "ru":
		return `а без более бы был была были было быть в вам вас вот все всё всех вы где да даже для до его ее её если есть еще ещё же за и
из или им их к как какая какой когда кто ли между меня мне может мой мы на над надо нас не него нее ней нет ни них но о об
один он она они от очень по под после при про раз с сам свою себя со так также такой там тебя тем то того тоже только том ты
у уже хотя чего чем что чтобы эти это этого этой этом этот я`
	case "fi":
		return `ei eivät ellei että hän he ja jo joka jos joten jotka kaikki kanssa koska kuin kuka kun kuten me mikä miksi miten minä missä
mitä mukaan mutta myös ne niin nyt ole oli olla olen on ovat se sen sekä siinä sinä sitä tai tämä te tässä tätä vaan vai vain
voi voidaan vuoksi`
	case "tr":
		return `acaba ama aslında az bazı ben bir biri biz bu böyle çok çünkü da daha de değil diye en gibi hem hep her hiç için ile ise
kadar ki kim mı mi mu mü nasıl ne neden nerede niçin o olan olarak oldu olduğu on onlar onu sen siz şey şu tüm var ve veya ya
yani yok`
	case "hu":
		return `a abban ahhoz ahogy aki akkor ami amíg az azért azok azt be csak de e egy egyik el én es és ez ezért ezt fel ha hanem hogy
hogyan ho igen így ill illetve is itt ki lehet lesz magát maga már meg még mert mi mindig mint miért mit nagy ne nem nincs ő
ők olyan ott pedig sem sok szerint te tehát több úgy után utolsó vagy van vannak volt voltak`
	case "ro":
		return `a acea aceasta această aceste acest ai al ale am ar are as au avea aţi ca care că ce cel cele cum cu da dacă dar de deci
decât din după e ea ei el ele era este eu fi fie fost iar în îi îl îşi la le lui mai mi nu o or pe pentru prin sau se sa să
si și sunt ta te tu un una unei unor va voi vor`
	}
	return ""
}

// chatter are words that people add to any question. The words are searched for, but a passage need
// not contain them (Term.Chatter).
var chatter = set(`
able actually anybody anyone anything appreciate appreciated ask asking bot colleague colleagues confused curious dear describe difference
elaborate everybody everyone everything exactly exist exists explain explained explanation far find folks get getting give given go goes going good got great
guys happen happens hello help helps hey hi hope idea info instead kind know known learn let like long look looking make makes many mean
means
mentioned much need needed needs normally often ok okay one perhaps please possible possibly question questions quick quickly really
recommend recommended say says see seem seems show simple simply somebody someone something still suggest summarise summarize
supposed sure take tell thank thanks thing things think trouble true try trying understand unsure use used using usually
want wanted way ways well wonder wondering works yes
asap btw cheers fyi gimme hmm hows imho imo lemme pls plz regards thx tia uhm wanna whats wheres whos
bitte danke erkläre erklären gibt hallo hilfe möchte weiß zeig
bonjour merci plaît svp
favor gracias hola
ciao grazie
`)

func set(words string) map[string]bool {
	s := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

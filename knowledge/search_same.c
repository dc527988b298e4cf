/*
 * Words that stand for each other where people write about code and code is
 * written: short forms, and the verbs that names of functions begin with.  A
 * closed list of what is common to all code; stems as graph/words.h makes them.
 */
#include <string.h>

#include "knowledge/search_parts.h"

static const char *const groups[] = {
    " abort cancel stop halt terminat kill shutdown interrupt ",
    " add append insert put attach regist creat new mak join enrol post ",
    " arg argument param parameter option opt ",
    " auth authenticat login signin logon credential ",
    " authoriz permission allow access acl grant ",
    " begin start launch run init initializ boot setup open ",
    " block deny forbid ban reject refus ",
    " buf buff buffer ",
    " build mak creat construct generat produc new issu setup ",
    " callback handl handler hook listen listener ",
    " chang updat modif edit alter set patch renam replac adjust put overwrit ",
    " check validat verif ensur assert test ",
    " clean clear purg flush reset prun ",
    " clos finish end done complet teardown ",
    " cmd command ",
    " config configuration cfg conf setting preferenc ",
    " conn connect connection dial link ",
    " convert transform translat map marshal serializ encod format dump ",
    " copi clon duplicat ",
    " count num numb amount total len length size ",
    " ctx context ",
    " cur current activ ",
    " databas db sql ",
    " decod pars unmarshal deserializ read load ",
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): a row of two lines */
    " delet remov del drop destroi destroy rm eras discard unregist detach "
    "revok ",
    " desc description ",
    " dir directori director folder path ",
    " disabl off deactivat ",
    " doc document documentation ",
    " download export ",
    " enabl on activat ",
    " env environment ",
    " err error fail failur exception ",
    " exec execut run invok call perform process ",
    " expir timeout deadlin ttl ",
    " fetch get load read retriev receiv obtain find lookup return show view "
    "download describ ",
    " fil filenam ",
    " func function method procedur ",
    " health ping aliv readi ready statu ",
    " id identifi identifier uuid ident kei key ",
    " img image pictur photo ",
    " info information detail ",
    " join merg combin ",
    " list enumerat all index get show every ",
    " lock mutex ",
    " log logg logging trac ",
    " mail email messag msg ",
    " max maximum limit most upp ",
    " min minimum least ",
    " msg messag notif notification ",
    " nam titl label ",
    " obj object instanc ",
    " password pwd passwd secret ",
    " prev previou last ",
    " print output show displai display render writ ",
    " quer search find filt filter select ",
    " random rand ",
    " ref referenc pointer ptr ",
    " renam nam ",
    " repl reply respons resp answer result return ",
    " req request ask ",
    " sav stor persist writ keep ",
    " send publish emit push dispatch post notif ",
    " serv server servic ",
    " spec specification definition schema ",
    " split divid separat pars ",
    " stat statistic metric ",
    " stat state statu ",
    " str string text ",
    " sync synchroniz refresh reload ",
    " tmp temp temporari temporary ",
    " tok token ",
    " typ kind class ",
    " upload import ",
    " usr user account memb ",
    " val valu ",
    " ver version ",
    " wait sleep delai delay block ",
    " web http html page ui ",
    " work worker job task process ",
};

static bool
is_in(const char *group, str word)
{
    const char *at = memmem(group, strlen(group), word.ptr, word.len);

    for (; at; at = memmem(at + 1, strlen(at + 1), word.ptr, word.len))
        if (at[-1] == ' ' && at[word.len] == ' ')
            return true;
    return false;
}

static void
add_group(const char *group, struct search_word *word)
{
    for (const char *at = group + 1; *at;) {
        str same = {at, strcspn(at, " ")};

        if (word->same_len < SEARCH_SAME &&
            !str_eq(same, (str){word->text, word->len}))
            word->same[word->same_len++] = same;
        at += same.len + 1;
    }
}

void
search_find_same(struct search_word *word)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (is_in(groups[i], (str){word->text, word->len}))
            add_group(groups[i], word);
}

"""Words that say nothing about what is wanted, and words that say little, in English, French and Japanese."""

from __future__ import annotations

import re

EMPTY = frozenset(
    re.findall(
        r"\S+",
        """
a an the this that these those it its i me my mine we us our you your he she they them their his her him myself
itself is are was were be been being am do does did done doing have has had having can could will would should shall
may might must cannot isn aren wasn doesn didn won wouldn couldn shouldn hasn haven to of in on at by for from with
without into onto about as and or but if so than then too very just also not no nor what which who whom whose how
when where why there here all any some each every both few more most other such only own please want wants wanted
need needs needed like likes got let lets s t re ve ll m d don via per up out off over under again still yet already
really maybe perhaps actually since while because until though although however anyway ok okay le la les l un une
des du de et ou au aux en dans sur pour par avec sans que qu qui quoi dont ce c cet cette ces ca cela ceci mon ma
mes ton ta tes sa ses notre nos votre vos leur leurs je j tu il elle nous vous ils elles moi toi lui eux te se y est
sont suis es etes sommes etait etaient sera serait ete etre avons avez ont avoir avait auraient fait faire fais
faites font faut peux peut pouvez pouvoir peuvent veux veut veulent voudrais voudrait aimerais doit dois doivent
devrait ne pas plus moins tres bien tout tous toute toutes aussi encore deja toujours jamais ici alors puis comment
quand si comme donc mais ni n chez entre vers quel quelle quels quelles lequel laquelle svp merci pourquoi car parce
afin ainsi lors depuis pendant apres avant sous trop peu beaucoup
""",
    )
)
LIGHT = frozenset(
    re.findall(
        r"\S+",
        """
make makes making made create creates created creating add adds added adding get gets getting give gives given show
shows find finds finding list lists listing open opens see look looks looking check checks help helps use uses used
using put puts set sets tell take takes keep keeps kept start starts run runs running write read reads update
updates change changes changed work works working manage manages do handle handles go goes going come comes bring
brings turn turns try tries want move moves hold holds leave say says ask asks know knows think feel seem happen
begin stop end ends save saves load loads return returns remove removes delete deletes insert define perform access
allow allows provide provides support supports enable enables enabling interact interacting interaction include
including contain contains contained based build builds building connect connects connecting fix fixes prepare
prepares ensure sure able available possible operation operations capability capabilities feature features function
functions functionality option options result results item items object objects thing things stuff way ways kind
kinds type types part parts piece whole entire full complete several various certain specific particular existing
current new brand old good better best nice great bad big small large short long high low fast quick quickly slow
easy simple advanced powerful intelligent different same next last first second third one two three five ten hundred
thousand many much lot lots handful bunch dozen top main own per today tomorrow yesterday now soon later week weeks
month months year years day days night morning evening hour hours minute minutes time times moment date ago once
twice always never often boss manager friend friends people person man woman guy somebody someone everybody everyone
nobody anyone team teams user users customer kid kids wife husband mother colleague name names word words text texts
number numbers line lines page pages place places world home house room office company companies business school
life problem problems question idea reason case cases point example examples side fact facts story plan plans goal
project projects task job app apps application applications data information info content contents system systems
tool tools server servers mcp service services software program programs machine computer laptop device code form
forms version versions release settings setup model context protocol ai api apis language natural direct directly
through across together inside within around between against during before after near far away back down above below
writing written broken online internet web site sites click press button hand creer cree creez creation ajouter
ajoute donner donne donnez montrer montre trouver trouve trouvez ouvrir ouvre voir vois regarder regarde verifier
verifie aider aide utiliser utilise mettre mets met mise lancer lance ecrire ecris lire lis modifier modifie changer
jour nouveau nouvelle nouveaux nouvelles vieux vieille ancien ancienne gerer gere afficher affiche dire dis dit
demander demande savoir sais connaitre penser prendre prends prend tenir tiens garder garde laisser essayer essaie
commencer commence finir fini arreter arrete passer passe venir vient aller va vas rendre rends devenir rester reste
permettre permet besoin envie semaine semaines mois an ans annee annees jours demain hier aujourd hui matin soir
nuit heure heures temps fois patron chef ami amis amie equipe gens personne personnes quelqu quelque quelques
quelquun monde utilisateur utilisateurs homme femme enfant premier premiere deuxieme dernier derniere derniers
prochain prochaine chaque plusieurs autre autres meme certains grand grande petit petite gros grosse bon bonne beau
meilleur meilleure mauvais facile rapide rapidement vite appli applis donnees donnee projet projets outil outils
serveur serveurs logiciel programme ordinateur systeme texte textes mot mots partie parties chose choses liste nom
noms nombre numero exemple probleme idee raison cas fin debut cote entreprise maison bureau ligne contenu resultat
chercher cherche rechercher son monday tuesday wednesday thursday
friday saturday sunday january february march april may june july august september october november december lundi
mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril mai juin juillet aout septembre octobre
novembre decembre happens happened comes came become becomes becoming devenir deviennent devient recevoir receive
nephew niece uncle aunt grandpa grandma brother sister daughter neveu niece oncle tante frere soeur fille papi mamie
combien plein vrai necessaire propre directement アプリ ページ データ 新しい 古い 確認
追加 作る 作って 作りたい 変更 更新 調べる 調べて 探す 探して 画面 会社 サーバー サイト 表 見る 見たい 見て 知りたい
教えて 使う 使って 今日 明日 昨日 今 自分 私 人 時 前 後 中 上 下 月曜
火曜 水曜 木曜 金曜 土曜 日曜 自分の 誰 いつ 全部 一覧 内容 名前 問題 方法 必要 機能 情報
""",
    )
)

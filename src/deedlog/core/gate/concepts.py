"""What means the same in English, French and Japanese, as people say it who look for a server.

A group is a line (and what is indented below it): words and phrases that stand for one another. The words of a phrase
may stand apart (`put online`: "put my shop online"). A word may be in several groups.
"""

from __future__ import annotations

GROUPS = """
deploy, deployment, ship it, ship my, go live, roll out, release to production, launch site, into production, déployer
    déploie, déploiement, mettre en production, mise en production, デプロイ, 配備, 本番反映, 本番環境, 本番に
host, hosting, put online, put up website, make site public, publish site, publish website, available on the internet
    héberger, héberge, hébergement, hébergeur, mettre en ligne, mets en ligne, mise en ligne, publier site
    ホスティング, サイトを公開, 公開したい, ホームページを公開, ネットに上げる, ネットに公開, アップする
    reachable for everyone, visible to everyone, whole world, always on, around the clock, friends can open
    share my app, visible par tout le monde, tout le monde, accessible à tous, jour et nuit, 世界中から, 誰でも見られ
    見られるように, 24時間, 常時, 友達に見せ, girlfriend see, parents see, can see the page I built, others can see
    voir la page, montrer à tout le monde, 見せられる, 見せたい
website, web site, homepage, landing page, web app, webapp, blog, webpage, portfolio, site web, site internet
    page d'accueil, appli web, サイト, ウェブサイト, ホームページ, ウェブアプリ, ランディングページ
payment, pay, paid, charge card, credit card, checkout, collect money, take money, purchase, buyers, online shop
    paiement, payer, payé, encaisser, carte bancaire, carte bleue, carte de crédit, règlement, prélever, acheter
    achat, 決済, 支払い, 支払, 払う, クレジットカード, カード払い, 購入, 課金, 代金, 入金, pay by card, pay online
    card payments, sell online, price, prices plan, fee, tarif, payer par carte, payer en ligne, vendre en ligne
    frais, カードで払, オンライン決済, 有料, 料金を取る, 集金, 会費, tip, tips, donate, donation, pourboire
    don en ligne, チップ, 寄付, 払いたい, 支払いたい, お会計
invoice, invoicing, bill, billing, receipt, owes us, facture, facturer, facturation, reçu, 請求書, 請求, インボイス
    領収書, unpaid, overdue, payment reminder, quote, impayé, relance de paiement, facture impayée, 未払い, 督促
    見積書
refund, money back, reimburse, give back money, chargeback, rembourser, rembourse, remboursement, 返金, 払い戻し
    払い戻す, give her back, give him back, return the money, money returned, cancel order, rendre l'argent
    lui rendre, annuler la commande, お金を返す, 返して, 返す, 解約
subscription, recurring, monthly plan, membership, subscribe plan, abonnement, abonnements, mensuel, récurrent
    サブスク, 定期課金, 月額, 定期購入, 継続課金, 会費, cancel membership, member, renew, premium plan, résilier
    adhésion, renouveler, 会員を解約, 解約, 更新日, プレミアム
dispute, complaint about a transaction, contest, litige, contester, réclamation, 異議, 紛争, 異議申し立て
    complain about payment, fraud, fraudulent, fraude, 不正請求, 詐欺
customer, customers, client, clients, clientèle, buyer, 顧客, お客, お客さん, お客様, クライアント
lead, leads, prospect, prospects, deal, deals, sales pipeline, crm, salespeople, potential customers, opportunities
    client potentiel, clients potentiels, affaires en cours, commerciaux, vente, ventes, relancer, 見込み客, 商談
    営業, 顧客管理, 案件, 成約, 売り込み, call with, follow up, asked for a quote, negotiation, interested people
    appel avec, devis, relance, négociation, 電話を記録, 見積もり, フォロー, 交渉
contact, contacts, address book, phone book, carnet d'adresses, coordonnées, 連絡先, 住所録, 名簿
database, db, databases, data store, relational, base de données, bases de données, bdd, sgbd, データベース, DB
    data base, table rows, record in db, stored data, db admin, données stockées, データを保存, DBに
sql, query, queries, select statement, join tables, stored procedure, requête, requêtes, interroger, クエリ, SQL文
    問い合わせ
table, tables, rows, columns, schema, row count, lignes, colonnes, schéma, テーブル, 行数, 列, スキーマ, カラム
    rename column, renommer une colonne, 列名, 列を追加
postgres, postgresql, postgre, psql, pg, ポスグレ, ポストグレス, ポストグレ
index, slow query, missing index, explain plan, query plan, requête lente, plan d'exécution, インデックス, 遅いクエリ
    実行計画
nosql, mongo, mongodb, document store, json documents, モンゴ, ドキュメント指向
graph database, relationships, nodes edges, connected people, who knows, shortest path, network of people
    social graph, graphe, relations entre, réseau de relations, chemin le plus court, qui connaît qui
    グラフデータベース, つながり, 関係性, 最短経路, 人間関係, ノード, friends of friends, family tree, related to whom
    org chart, nodes and relationships, ami d'un ami, amis d'amis, arbre généalogique, organisation hiérarchique
    友達の友達, 家系図, 組織図, 誰と誰, indirectly connected, connected to, liés indirectement, 間接的につながる
    つながる
analytics, aggregate, olap, data warehouse, big data, billions, millions of rows, business intelligence, analytical
    analytique, agréger, agrégation, entrepôt de données, milliards, gros volumes, statistiques d'usage, 集計
    大量データ, ビッグデータ, データウェアハウス, 分析基盤, 統計, 大規模データ, per hour, per day, per month
    page views, years of, events table, time series, count of events, par heure, par jour, séries temporelles
    一時間ごと, 時系列, 日ごと, 月ごと, アクセス数, イベント数
vector, embedding, embeddings, similarity, nearest neighbour, semantically close, rag, retrieval augmented
    similar texts, vecteur, vecteurs, vectoriel, similarité, plongement, textes proches, textes semblables, ベクトル
    埋め込み, 類似検索, 類似度, 似た文章, 近い文章, エンベディング, closest in meaning, same meaning, meaning
    semantic search, recherche sémantique, sens proche, 意味検索, 意味が近い, 意味の近い
cache, caching, faster responses, speed up, memoize, mise en cache, mettre en cache, accélérer, キャッシュ, 高速化
    速くする, store the result, temporary data, expire, résultat temporaire, temporaire, 一時保存, 一時的に保存
    結果を保存
redis, key value, keys values, in-memory store, clé valeur, レディス, キーバリュー, インメモリ
queue, message queue, job queue, background jobs, pub sub, scheduled jobs, cron, delayed jobs, file de messages
    file d'attente, tâches planifiées, キュー, 待ち行列, ジョブ, メッセージキュー, 定期実行
backend, back end, server side, baas, api server, côté serveur, バックエンド, サーバーサイド
login, log in, sign up, signup, sign in, authentication, auth, user accounts, register users, password reset, oauth
    connexion, se connecter, inscription, s'inscrire, authentification, comptes utilisateurs, mot de passe, ログイン
    認証, 会員登録, ユーザー登録, サインアップ, アカウント, パスワード, create account, log in with google
    single sign-on, sso, members, forgot password, create an account, se connecter avec google, créer un compte
    espace membre, アカウントを作, 会員, グーグルでログイン, 新規登録
email, e-mail, mail, mails, emails, mailing, courriel, courriels, mél, メール, Eメール, 電子メール, write to all
    write to everyone, participants, send a mail, écrire à tous, tous les clients, 参加者全員, 全員に, メールする
    メールして
newsletter, bulk mail, mailing list, campaign, marketing mail, announcement to subscribers, transactional, infolettre
    lettre d'information, campagne, liste de diffusion, メルマガ, ニュースレター, 一斉送信, 一斉配信, 購読者
    welcome mail, confirmation mail, password reset mail, customers by mail, mail de bienvenue, mail de confirmation
    歓迎メール, 確認メール, お礼メール
inbox, unread, mailbox, reply to mail, attachment, draft, spam, sort my mail, boîte de réception, boîte mail
    boîte aux lettres, non lus, non lu, pièce jointe, brouillon, répondre aux mails, 受信トレイ, 受信箱, 未読, 返信
    添付, 下書き, 迷惑メール, 届いたメール, archive mail, mail from, wrote back, did he reply, flight tickets attached
    old mails, archiver, vieux messages, vieux mails, a répondu, réponse de, 古いメール, 返事が来, アーカイブ
    メールを探す, 来たメール
message, chat, channel, team chat, tell everyone, tell my team, colleagues, notify the team, announce, direct message
    messagerie, canal, salon, discussion, prévenir l'équipe, préviens l'équipe, collègues, dire à l'équipe, チャット
    チャンネル, チームに知らせる, チームに連絡, 同僚, 社内連絡, みんなに伝える, 投稿, お知らせ, post in
    release notes to, running late, drop a line, poster dans, poste dans, je suis en retard, dis à, écrire à l'équipe
    チャンネルに投稿, 遅れると, 伝えて, 伝える, 連絡して, 一言, let the others know, tell the others
    préviens les autres, prévenir les autres, みんなに知らせ, みんなに連絡
notification, notify, alert, alerts, warn me, ping me, reminder, let me know when, wake me, notifier, alerte, alertes
    alerter, avertir, prévenir, rappel, 通知, アラート, 警告, 知らせ, お知らせ, リマインダー
    when something goes wrong, tell me if, dès que, quand ça ne va pas, 異常があれば, 何かあれば
calendar, meeting, appointment, appointments, schedule meeting, availability, free slot, agenda, free time, book time
    calendrier, rendez-vous, rdv, réunion, réunions, disponibilité, disponible, créneau, libre, planning
    emploi du temps, カレンダー, 予定, 会議, 打ち合わせ, 空き時間, 空いている, スケジュール, 日程, 予約, アポ
    block time, every morning, each week, reschedule, postpone, dentist, move my appointment, invite, deadline
    chaque matin, reporter, décaler, dentiste, bloquer du temps, 毎朝, 歯医者, ずらす, 日にち, 面接, 確保, 水曜, 木曜
    金曜, 月曜, 火曜, 土曜, 日曜, double-booked, two appointments, overlap, deux rendez-vous, chevauchement
    予定が重な, 重なって, ダブルブッキング
map, maps, directions, route, routes, drive from, driving, distance, address, nearby, near me, restaurant, geocode
    location, how far, travel time, carte routière, itinéraire, trajet, adresse, à proximité, près de, en voiture
    combien de kilomètres, lieu, 地図, 道順, ルート, 経路, 距離, 住所, 近く, 最寄り, レストラン, お店, 行き方
    所要時間, 車で, 場所, bike, cycling, walk, pharmacy, nearest, parking, park the car, station, traffic jam
    gas station, vélo, à pied, pharmacie, la plus proche, le plus proche, se garer, balade, gare, embouteillage
    自転車, サイクリング, 徒歩, 薬局, 一番近い, 駐車, 駐車場, 駅, 渋滞, 道のり
what time, time zone, timezone, time zones, utc, local time, world clock, quelle heure, fuseau horaire
    fuseaux horaires, décalage horaire, 時刻, 何時, 時差, タイムゾーン, 現地時間, 時間帯, time difference
    hours between, current time, office hours in, time is it, what date, quelle date, combien d'heures de décalage
    日付, 現在時刻, 今日の日付
weather, forecast, rain, temperature, météo, prévisions, température, pluie, 天気, 天気予報, 気温, 雨
search, web search, look up, search online, google it, find on the internet, search engine, browse the web, online
    recherche, chercher, rechercher, cherche, sur internet, sur le web, moteur de recherche, en ligne, 検索, 検索する
    調べる, 調べて, ネットで, ウェブで, 探す, 検索エンジン, ググる, who is, who was, which are the best, best laptops
    recommendations for, who won, qui est, qui était, quels sont les meilleurs, quel est le meilleur, les meilleurs
    qui a gagné, 誰ですか, おすすめ, 首相, 大統領, 誰が勝った, ネット検索, インターネットで, museum, opening times
    is it open, musée, ouvert le dimanche, horaires, 美術館, 博物館, 開いている, 営業時間, 混んでいる
websearch, web search, internet search, search engine, search the web, search the internet, recherche web
    recherche internet, moteur de recherche, chercher sur internet, ウェブ検索, ネット検索, 検索エンジン, ネットで調べる
news, current events, headlines, latest, today's news, up-to-date information, actualités, actualité, nouvelles, infos
    ニュース, 最新情報, 時事, 最近の話題, 最新動向, prime minister, president, election, this year's
    stock market news, sports result, premier ministre, président, élection, 選挙, 速報, 話題
source, sources, citation, citations, references, fact check, researched answer, trustworthy answer, deep research
    sources citées, citer, vérifier les faits, recherche approfondie, réponse documentée, 出典, 引用, 情報源, 根拠
    裏付け, 事実確認, 調査, is it true, evidence, with references, overview with sources, est-il vrai, preuves
    avec des références, 本当, 参考文献, 証拠, 引用つき
company, companies, competitor, competitors, startup, startups, similar companies, market research, entreprise
    entreprises, société, concurrent, concurrents, concurrence, marché, 会社, 企業, 競合, 同業, 市場調査, firms
    manufacturers, suppliers, who makes, vendors, fabricants, fournisseurs, prestataires, メーカー, 業者, 仕入先
scrape, scraping, scraper, crawl, crawler, crawling, extract from website, harvest, pull data off, all pages
    whole site, collect prices, aspirer, aspire, extraire d'un site, moissonner, récolter, toutes les pages
    parcourir tout un site, スクレイピング, クロール, 巡回, 抜き出す, 抽出, 収集, 全ページ, サイト全体, かき集める
    opening hours from, listings, from many websites, gather from, collect from websites, relever, annonces, collecter
    horaires d'ouverture, 集める, 集めて, 営業時間, 物件一覧, 一括取得
web page, webpage, url, link, http, page content, read this page, article online, download page, page web, lien
    adresse web, contenu de la page, lire cette page, URL, リンク, ウェブページ, ページの内容, 記事
browser, chrome, chromium, firefox, safari, webkit, headless, tab, navigateur, onglet, ブラウザ, クローム, タブ
    edge browser, opera, サファリ, グーグルクローム
click, fill form, fill in, web form, press button, automate website, log into a site, navigate site, drive a browser
    cliquer, clique, remplir formulaire, remplir, formulaire, automatiser un site, piloter navigateur, クリック
    フォーム, 自動入力, 自動で入力, ボタンを押す, サイトを操作, 画面遷移, log into portal, portal, book on website
    download statement, portail, relevé, réserver sur le site, ポータル, 明細, サイトで予約, ログインして
    自動でダウンロード
screenshot, screen shot, capture page, screen capture, capture d'écran, capture, スクリーンショット, スクショ
    画面を撮る
end-to-end, e2e, browser test, ui test, regression test, integration test, test the site, acceptance test
    bout en bout, tests fonctionnels, tester le site, test d'interface, E2E, 結合テスト, 自動テスト, 画面テスト
    動作確認, sign-up form works, still works, make sure it works, works in safari, marche encore, marche aussi
    s'assurer que, 動くかテスト, ちゃんと動くか, 動くか確認, テストして
console, network requests, devtools, page speed, page load, slow page, lighthouse, web performance, debug page
    loading slow, page lente, chargement lent, charge lentement, lenteur, outils de développement, déboguer
    コンソール, 表示が遅い, 重い, 読み込みが遅い, ページ速度, 通信内容, デバッグ, 表示速度, which request
    makes page slow, slows down, not reacting, does nothing, layout broken, ralentit, ne réagit pas, 遅くして
    反応しない, 崩れ, どの通信
mouse, keyboard, desktop app, control computer, gui, type keys, operate computer, native window, screen control
    souris, clavier, logiciel, contrôler l'ordinateur, piloter l'ordinateur, fenêtre, à ma place, マウス, キーボード
    パソコン操作, 画面操作, 操作して, 代わりに操作, ソフト, デスクトップ, ウィンドウ, old software, legacy program
    windows program, time-tracking program, accounting software, vieux logiciel, logiciel windows, 古いソフト, 勤怠
    会計ソフト, Windowsのソフト, calculator program, type in the numbers, calculatrice, 電卓, 打ち込んで
terminal, shell, command line, bash, run command, process, processes, console command, kill, powershell
    ligne de commande, commande, processus, invite de commande, exécuter une commande, lancer une commande, tuer
    ターミナル, シェル, コマンド, プロセス, 端末, コマンドライン, port, listens on, npm, npm install, pip install
    install dependencies, make build, run the tests, script, écoute sur le port, installer les dépendances, ポート
    インストールして, スクリプトを走らせ, テストを実行して
file, files, folder, folders, directory, disk, hard drive, downloads, fichier, fichiers, dossier, dossiers, répertoire
    disque, ファイル, フォルダ, フォルダー, ディレクトリ, ディスク, ファイル整理, csv files, larger than, big files
    photos, documents folder, free space, plus de 10 mo, plus gros que, より大きい, 容量, 空き容量, ファイルを探す
rename, move files, copy files, organise files, tidy up, delete files, renommer, déplacer, ranger, copier, 名前を変更
    名前を変える, リネーム, 移動, コピー, 整理, 片付け, clean up, mess, create folder, duplicate files, ménage
    créer un dossier, doublons, 散らかった, フォルダを作, 重複
git, commit, commits, branch, branches, rebase, stash, cherry-pick, blame, who changed, version control, working tree
    revert, branche, historique, gestion de versions, qui a modifié, annuler modification, revenir en arrière
    コミット, ブランチ, 差分, 履歴, 誰が変えた, 誰が変更, 変更履歴, バージョン管理, 元に戻す, リベース, squash
    three commits, last commit, between main and, tag, conflict, as it was, bring back, conflit, derniers commits
    entre main et, comme avant, défaire, まとめる, 直近, 競合, 前の状態, 戻して
pull request, pull requests, merge request, code review, review changes, pr, mr, demande de fusion, demande de tirage
    revue de code, relecture, relire, プルリクエスト, プルリク, マージリクエスト, コードレビュー, レビュー, dependabot
    merge prs, approve, fusionner, approuver, マージ, 承認
repository, repositories, repo, repos, source repository, open source, dépôt, dépôts, リポジトリ, レポジトリ
    オープンソース
issue, issues, ticket, tickets, bug report, backlog, sprint, story, epic, kanban, task board, assigned to me, roadmap
    tâche, tâches, bogue, gestion de projet, suivi de projet, tableau de tâches, feuille de route, チケット, イシュー
    課題, タスク, スプリント, バックログ, プロジェクト管理, バグ報告, 起票, 担当, 進捗, file a bug, report a bug
    log a bug, track work, who works on what, assign, signaler un bug, signaler un problème, créer un ticket
    不具合を報告, 割り当て, バグを登録, 課題を作
wiki, knowledge base, team documentation, confluence, internal docs, onboarding page, base de connaissances
    documentation interne, ウィキ, 社内wiki, ナレッジ, 社内文書, 社内ドキュメント, company handbook, holiday policy
    procedures, règlement, procédures, 社内規程, 手順書, マニュアル集
note, notes, meeting notes, minutes, notebook page, jot down, write down, compte rendu, prise de notes, noter, メモ
    議事録, ノート, 書き留める, 記録, project page, task table, journal, diary, shopping list, plans, page de projet
    liste de courses, journal intime, 企画, 買い物リスト, 日記, 計画を書
document, documents, paperwork, word file, docx, word document, contract, report, letter, texte, contrat, rapport
    文書, 書類, ワード, 資料, 契約書, 報告書, レポート, 文章ファイル
pdf, scan, scanned, ocr, extract table, extract tables, numériser, scanné, numérisé, extraire tableaux, PDF, スキャン
    文字認識, 表を取り出す, 表を抽出, 読み取り, OCR, receipt, receipts, handwritten, amounts, scanned contract, reçus
    montants, manuscrit, contrat numérisé, 領収書, 手書き, 金額, 電子化
spreadsheet, excel, xlsx, csv, sheet, google sheets, tableur, feuille de calcul, エクセル, スプレッドシート, 表計算
slides, powerpoint, pptx, presentation, slide deck, diapositives, diaporama, présentation, パワーポイント, パワポ
    スライド
markdown, convert document, convert file, office files, convertir, conversion, transformer en, マークダウン, 変換
    変換する, 形式を変える, docx to md, to text, plain text, into text, en texte, texte brut, テキストにする, 文字だけ
documentation, docs, manual, reference, api reference, how to use, official docs, guide, handbook, tutorial, doc
    manuel, mode d'emploi, référence, ドキュメント, 公式ドキュメント, マニュアル, 説明書, 使い方, リファレンス, 手引き
    read up on, how to set up, what does the doc say, se documenter, comment configurer, 資料, 設定方法, 読み方
library, libraries, framework, frameworks, package, packages, sdk, npm, dependency, latest version, outdated, syntax
    bibliothèque, bibliothèques, librairie, cadriciel, paquet, dernière version, à jour, obsolète, ライブラリ
    フレームワーク, パッケージ, 最新版, 新しいバージョン, 最新バージョン, 書き方, dependency injection, fastapi
    prisma, django, deprecated, no longer exists, hook, injection de dépendances, déprécié, n'existe plus, 依存性注入
    廃止, 非推奨, 存在しない
code example, code examples, snippet, sample code, exemple de code, exemples de code, サンプルコード, コード例
remember, memory, recall, memorise, don't forget, keep in mind, next time, across sessions, come back, between chats
    se souvenir, souviens, mémoire, mémoriser, retenir, rappelle-toi, ne pas oublier, oublie pas, prochaine fois
    覚える, 覚えて, 覚えておく, 記憶, 忘れない, 忘れずに, 次回も, 思い出す, 前に話した, 前回, take into account
    allergic, bear in mind, i told you, in future, about me, my preferences, tiens-en compte, tenir compte, allergique
    à l'avenir, garde en tête, je t'ai dit, アレルギー, 今後, これから, 言ったこと, 頭に入れ, i live in
    don't ask me again, j'habite, ne me redemande pas, 住んでいる, もう聞かないで
step by step, think through, reason, reasoning, think carefully, complex problem, tricky, break down, ponder
    deliberate, étape par étape, pas à pas, réfléchir, réfléchis, raisonner, raisonnement, décomposer
    problème complexe, compliqué, 順を追って, 段階的, じっくり, 推論, 考えて, 考える, 難しい問題, 筋道, 複雑な問題
    一歩ずつ, carefully plan, consider alternatives, revise, puzzle, riddle, logic, weigh options, pros and cons
    avec soin, alternatives, énigme, casse-tête, peser le pour et le contre, logique, 慎重に, 他の案, パズル, なぞなぞ
    論理, 長所短所, 検討
translate, translation, translator, german, french, spanish, english, italian, chinese, say that in, foreign language
    traduire, traduis, traduction, traducteur, allemand, anglais, espagnol, italien, chinois, comment dit-on, langue
    翻訳, 訳す, 訳して, 英語, ドイツ語, フランス語, 中国語, 和訳, 英訳, 多言語, 外国語, 何と言う, portuguese, polish
    russian, dutch, korean, japanese sentence, what does this sentence mean, mean in english, localise, localize
    portugais, polonais, russe, japonais, japonaise, néerlandais, que veut dire cette phrase, イタリア語, スペイン語
    韓国語, ポーランド語, ポルトガル語, 文はどういう意味, どういう意味, 文言, 英文, swedish, norwegian, danish
    finnish, czech, greek, turkish, arabic, hebrew, hindi, thai, vietnamese, indonesian, ukrainian, romanian
    hungarian, suédois, norvégien, danois, finnois, tchèque, grec, turc, arabe, hébreu, thaï, vietnamien, ukrainien
    roumain, hongrois, オランダ語, スウェーデン語, ノルウェー語, デンマーク語, フィンランド語, チェコ語, ギリシャ語
    トルコ語, アラビア語, ヘブライ語, ヒンディー語, タイ語, ベトナム語, ウクライナ語, インドネシア語, ハンガリー語
    ロシア語
rephrase, proofread, reword, grammar, spelling, better wording, reformuler, corriger le texte, orthographe, 言い換え
    校正, 推敲
speech, voice, text to speech, tts, read aloud, voice over, narration, narrator, spoken, dubbing, voice clone, podcast
    voix, voix off, synthèse vocale, lire à voix haute, lis à voix haute, à voix haute, narrateur, doublage, parler
    音声合成, 読み上げ, 読み上げる, 読み上げて, 声, ナレーション, 吹き替え, 音読, ボイス, 声で, listen to, audiobook
    phone greeting, answering machine, artificial voice, robot voice, écouter, livre audio, message d'accueil
    voix artificielle, répondeur, 人工音声, 自動応答, 朗読, 聞きたい, オーディオブック, 留守電
transcribe, transcript, transcription, subtitles, captions, speech to text, what is said, dictation, transcrire
    sous-titres, ce qui est dit, retranscrire, 文字起こし, 字幕, 書き起こし, 文字に起こす
audio, sound, mp3, wav, music file, soundtrack, son, bande son, piste audio, 音声, 音楽, サウンド, 音, 音声ファイル
    flac, ogg, volume, noise, bruit, 雑音, 音量, FLAC
music, song, playlist, band, listen, musique, chanson, écouter, 音楽, 曲, 歌, 再生リスト
video, videos, clip, movie, film, footage, mp4, vidéo, vidéos, 動画, ビデオ, 映像, ムービー, tutorial, tutorials
    tutoriel, tutoriels, 解説動画, 配信動画
cut video, trim, transcode, compress video, convert video, gif, merge clips, edit video, resize video, crop, remux
    couper vidéo, monter, montage, compresser, convertir vidéo, découper, extraire le son, 切り取る, 切り取り
    動画編集, 動画を編集, 動画変換, 圧縮, 結合, トリミング, 切り出す, join files, join mp4, join clips, concatenate
    shrink, smaller file, rotate, slow motion, coller bout à bout, bout à bout, réduire la taille, trop lourd
    つなげて, つなげる, 小さくして, 回転, 容量を減らす, shorten, intro, raccourcir, 縮める, 短くする, 秒にする
youtube, channel subscribers, youtuber, views, abonnés, chaîne, ユーチューブ, 登録者, チャンネル登録, 再生回数
image, picture, photo, illustration, drawing, images, photos, dessin, イラスト, 画像, 写真, 絵
generate image, make a picture, draw a picture, text to image, stable diffusion, image model, paint, ai art, flux
    générer image, génère image, créer image, dessiner une image, image par ia, 画像生成, 画像を生成, 画像を作る
    絵を描く, 絵を描いて, イラストを作る, 生成AI, photorealistic, picture of, draw me, logo, avatar, cartoon
    wallpaper, illustration of, crée image, image réaliste, dessine-moi, fond d'écran, リアルな画像, 画像を作って
    ロゴ, アイコンを作, 描かせ, 似顔絵, 漫画風, illustrate, illustrations for, illustrer, conte illustré, 挿絵, 絵本
ai, artificial intelligence, machine learning, ml, neural network, inference, model, models, deep learning, llm, ia
    intelligence artificielle, apprentissage automatique, modèle, modèles, inférence, réseau de neurones, AI, 人工知能
    機械学習, 推論, モデル, 深層学習, 学習済み
local model, local llm, own machine, own computer, offline, private model, on my laptop, self-hosted model, on device
    modèle local, modèles locaux, mon ordinateur, mon pc, hors ligne, sans connexion, en local, sans internet
    ローカルLLM, ローカルモデル, 自分のパソコン, 自分のPC, 手元, オフライン, 手元のPC, ネットなし, confidential
    private, without sending data, nobody sees, stays on my machine, confidentiel, confidentielle, sans envoyer, 機密
    社外秘, 外に出さ, プライバシー
language model, llm, chatbot, gpt, llama, mistral, modèle de langage, grand modèle, 言語モデル, LLM, 大規模言語モデル
dataset, datasets, training data, corpus, jeu de données, jeux de données, データセット, 学習データ, コーパス
open model, pretrained, model hub, find a model, which model, compare models, fine-tune, modèle ouvert
    choisir un modèle, 公開モデル, 学習済みモデル, モデルを探す, モデルを選ぶ, モデルを比べる, オープンモデル
    ready-made model, recognition model, detect languages, classification, modèle tout prêt, modèle de reconnaissance
    出来合い, 認識モデル, 分類モデル
paper, papers, scientific, science, academic, preprint, journal article, literature, scholar, researchers, thesis
    study, article scientifique, articles scientifiques, publication, publications, scientifique, littérature
    chercheur, thèse, état de l'art, 論文, 学術, 研究, 文献, 科学, 先行研究, プレプリント, 学会, original paper
    attention is all you need, researchers published, findings, l'article original, ont publié, chercheurs, 原論文
    研究成果, 研究者
diagram, diagrams, flowchart, flow chart, sequence diagram, uml, er diagram, org chart, mind map, gantt
    draw architecture, diagramme, schéma, organigramme, carte mentale, dessine le processus, logigramme, 図, 図解
    ダイアグラム, フローチャート, シーケンス図, 流れ図, 構成図, マインドマップ, 関係図, 図にする, schema as diagram
    entity relationship, boxes and arrows, how services talk, interactions between, process graphic
    entité-association, flèches, échanges entre, ER図, 構造を図, やりとり, 矢印, 手順を図, sketch the flow
    flow of an order, esquisser, flux de commande, 流れを図
chart, charts, plot, graph of numbers, bar graph, pie chart, line graph, visualize, visualise, visualization
    histogram, graphique, graphiques, courbe, courbes, camembert, histogramme, visualiser, barres, tracer, グラフ
    チャート, 円グラフ, 棒グラフ, 折れ線, 可視化, 図表, 見える化, 散布図, ヒストグラム, per month, trend, evolution
    survey results, make numbers visible, par mois, tendance, évolution, résultats de sondage, 推移, 傾向
    気温のグラフ, アンケート結果, 見やすく
dashboard, dashboards, metrics, cpu, latency, server load, observability, prometheus, memory usage, uptime, telemetry
    tableau de bord, tableaux de bord, métriques, latence, charge du serveur, supervision, processeur, ダッシュボード
    メトリクス, 監視, 負荷, 遅延, 稼働状況, サーバー監視, 計測, 可観測性, overloaded, disk full, traffic spike
    response time, server health, consommation mémoire, surchargé, disque plein, temps de réponse, santé du serveur
    メモリ使用量, 過負荷, 使用率, 応答時間, ディスクがいっぱい
monitoring, monitor, watch production, surveillance, surveiller, superviser, 監視, モニタリング, 見張る
error, errors, crash, crashes, exception, exceptions, stack trace, stacktrace, bug in production, failing for users
    app is broken, erreur, erreurs, plante, plantage, planté, bogue, bug, trace, エラー, クラッシュ, 例外
    スタックトレース, 不具合, 障害, 落ちた, 落ちる, バグ, freezes, freeze, hangs, app closes, users complain
    white screen, complaints, se bloque, se ferme, se fige, se plaignent, écran blanc, 固まる, 固まった, 閉じる
    真っ白, フリーズ, 苦情, 動かなくな, 強制終了
log, logs, log files, journal, journaux, trace logs, ログ, ログファイル, 記録ファイル
full text search, search logs, inverted index, search index, recherche plein texte, plein texte, 全文検索, 索引
    ログ検索
security, secure, vulnerability, vulnerabilities, hack, hacked, insecure, sql injection, xss, owasp, pentest, cve
    sécurité, sécuriser, faille, failles, vulnérabilité, vulnérabilités, pirater, dangereux, セキュリティ, 脆弱性
    安全性, 穴, 侵入, インジェクション, 危険なコード, inject, injection, malicious, attacker, exploit, leak, leaked
    injecter, malveillant, attaque, fuite de données, 注入, 悪意, 攻撃, 漏洩, 情報漏れ, ハッキング, 不正
audit, scan code, static analysis, lint, analyse statique, auditer, 監査, 静的解析, 診断
code quality, technical debt, coverage, code smells, maintainability, quality gate, duplicated code, clean code
    qualité du code, dette technique, couverture, couverture de tests, mauvaises odeurs, コード品質, 品質, カバレッジ
    網羅率, 技術的負債, 重複コード, 保守性, defects, code health, quality problems, défauts, défauts de qualité
    code propre, 品質の問題, コードはきれい, 健全性
build failed, ci, continuous integration, red build, broken build, flaky, pipeline failed, failing test, ci job
    intégration continue, build cassé, test instable, échoue, tests en échec, compilation échouée, CI, ビルド失敗
    ビルドが落ち, ビルドが失敗, 不安定なテスト, 継続的インテグレーション, パイプライン, テストが落ち, rerun job
    failed job, checks are red, merge blocked, relancer le job, job échoué, vérifications rouges, 失敗したジョブ
    もう一度実行, チェックが赤, マージできない
container, containers, docker, containerised, docker image, compose, conteneur, conteneurs, コンテナ, ドッカー
    コンテナー, stop containers, remove containers, without installing, in a box, arrêter les conteneurs
    sans installer, 箱の中, インストールせず
kubernetes, k8s, pod, pods, cluster, replicas, helm, kubectl, namespace, réplicas, grappe, クバネティス, ポッド
    クラスタ, クラスター, レプリカ, ノード数, roll back deployment, previous deployment, service down, rollout
    déploiement précédent, ロールバック, 前の版, ロールアウト
infrastructure, infrastructure as code, iac, provision, terraform, cloud resources, vpc, provisionner, infra, インフラ
    プロビジョニング, インフラ構築, resource arguments, aws_instance, rebuild servers, servers as text
    reconstruire les serveurs, テラフォーム, サーバー構成, 作り直せる, 構成をコード
cloud, microsoft cloud, azure, aws, amazon, gcp, virtual machine, virtual machines, vm, nuage, machines virtuelles
    クラウド, 仮想マシン, マイクロソフト, アマゾン
edge, cdn, worker, workers, serverless, edge function, functions, sans serveur, エッジ, ワーカー, サーバーレス
    closer to visitors, slow abroad, worldwide, ddos, firewall, proche des visiteurs, monde entier, pare-feu
    世界中に配信, 海外, ファイアウォール
object storage, bucket, blob, file storage, upload storage, s3, uploads, stockage, stockage d'objets
    stocker des fichiers, ストレージ, バケット, ファイル保存, 保存先, アップロード
dns, domain, domain name, domaine, nom de domaine, ドメイン, DNS, dns record, subdomain, ssl, certificate
    enregistrement dns, sous-domaine, certificat, DNSレコード, サブドメイン, 証明書, point my domain
    pointer mon domaine, ドメインを向け, ネームサーバー
sandbox, isolated, untrusted, run safely, somewhere safe, safe place, throwaway environment, without risk
    code interpreter, bac à sable, isolé, sans risque, en sécurité, code douteux, サンドボックス, 隔離, 安全な場所
    安全に実行, 信頼できない, 怪しい, try snippet, quick try, without installing anything, stranger script
    essayer un bout de code, sans rien installer, 断片を試す, 試したい, 試す, 壊さず
run code, execute code, run script, run python, exécuter du code, lancer un script, コードを実行, スクリプトを実行
    コードを動かす
notebook, notebooks, jupyter, ipynb, cells, kernel, data science, pandas, carnet, cellules, science des données
    ノートブック, セル, データサイエンス, ジュピター, load csv, cell that, add a cell, ajoute une cellule, セルを追加
    CSVを読み込
data analysis, analyse data, analyze data, statistics, explore data, analyser données, analyse de données, statistique
    データ分析, データを分析, 統計, 解析
editor, ide, vscode, vs code, diagnostics, éditeur, environnement de développement, エディタ, エディター, 開発環境
symbol, symbols, find usages, callers, where is called, refactor, refactoring, rename class, codebase navigation
    symbole, utilisations, refactoriser, シンボル, 呼び出し元, 呼ばれている, 参照箇所, リファクタリング
    使われている場所, function called, method called, is called, who calls, usages, usages of, all usages
    fonction appelée, méthode appelée, est appelée, où est appelée, les usages, 使用箇所, 関数を呼, 呼び出している
    呼び出し箇所, 定義元, 置き換える
codebase, code base, source tree, entire code, whole project, large project, tout le code, code source, tout le projet
    コードベース, ソースコード, コード全体, プロジェクト全体, ソース一式, paste entire project, whole repo
    into a chat, coller tout, dans une conversation, 貼り付け, 丸ごと, まるごと
explain repository, understand project, how does this project work, unfamiliar code, how it works, expliquer le projet
    comprendre le code, comment marche, comment fonctionne, 仕組み, 説明して, 解説, どう動く, コードを理解, organised
    organized, structure of the repo, tour, get to know, organisé, visite du projet, 構成を知り, 全体像, 案内して
api test, test api, rest api, endpoint, endpoints, http request, api collection, openapi, swagger, curl, tester api
    tester nos api, requête http, points d'accès, APIテスト, APIのテスト, エンドポイント, リクエスト, APIを試す
    smoke tests, web service answers, collection of requests, status code, service web répond, コレクションのテスト
    正しく応答, ステータスコード
design, designer, mockup, mockups, wireframe, prototype, figma, style guide, design system, sketch, maquette
    maquettes, graphiste, charte graphique, conception, designeur, デザイン, デザイナー, モックアップ, モック
    ワイヤーフレーム, 画面設計, プロトタイプ, 配色, 余白, padding, paddings, spacing, colours, fonts
    screens from designer, marges, couleurs, polices, écrans du graphiste, フォント
ui, user interface, frontend, front end, component, components, react component, widget, interface utilisateur
    interface, composant, composants, UI, 画面, コンポーネント, 部品, フロントエンド, 見た目
button, dialog, dropdown, form component, data table, modal, navbar, bouton, boîte de dialogue, fenêtre modale, menu
    ボタン, ダイアログ, メニュー, モーダル, 入力欄, navigation bar, sidebar, footer, header, tabs, accordion
    date picker, tooltip, carousel, barre de navigation, pied de page, onglets, accordéon, ナビゲーション
    ナビゲーションバー, ナビバー, フッター, ヘッダー, タブ, アコーディオン
pretty, beautiful, polished, good looking, ugly, nice looking, prettier, modern look, joli, jolie, belle, beau, moche
    élégant, きれい, 綺麗, かっこいい, おしゃれ, 美しい, ださい, 見栄え, fancy, stylish, sleek, gorgeous, eye-catching
    professional looking, stylé, stylée, moderne, accrocheur, スタイリッシュ, モダン, かわいい, プロっぽい
animation, animated, animate, effect, effects, particles, transitions, moving, animé, animée, animés, effet, effets
    アニメーション, 動き, エフェクト, 効果, 演出
mobile, mobile app, phone app, smartphone, iphone, ipad, android, ios, app store, play store, react native
    mobile phone, appli mobile, application mobile, téléphone, モバイル, スマホ, スマホアプリ, 携帯, アイフォン
    アンドロイド, アプリストア, testflight, on my iphone, on my phone, apk, sur mon téléphone, sur mon iphone
    テストフライト, 実機, iPhone
flutter, dart, hot reload, widget tree, rechargement à chaud, フラッター, ホットリロード, ダート, widget
    overflow error, débordement, ウィジェット, はみ出し
3d, three-dimensional, mesh, render, rendering, 3d model, sculpt, modélisation, modéliser, rendu, 3D, 立体
    レンダリング, モデリング, 3次元, 三次元, 3Dモデル, low poly, polygon, cube, sculpture, low-poly, ローポリ
    ポリゴン, 立方体, 3d printing, impression 3d, imprimer en 3d, 3Dプリント, objets 3d, three dimensions
    trois dimensions, en relief, 立体で, 三次元で
scene, lights, materials, lighting, texture, scène, lumières, matériaux, éclairage, シーン, 照明, 素材, 質感, 光
game, games, video game, game engine, enemy, player, level, prefab, jeu, jeux, jeu vidéo, ennemi, joueur, niveau
    ゲーム, 敵, 敵キャラ, キャラクター, ゲーム開発, プレイヤー, ステージ, health bar, score, jump, character
    barre de vie, sauter, 体力ゲージ, ジャンプ, スコア, 当たり判定, coins, collect coins, hero, ramasser des pièces
    héros, コイン, 主人公, アイテム, 勇者
cms, content management, headless, blog post, blog posts, articles, editorial, gestion de contenu, contenu, rédaction
    CMS, コンテンツ, コンテンツ管理, ブログ記事, 記事, ヘッドレス, 記事を編集, product descriptions, website text
    text on the website, editors, content system, fiches produits, textes du site, rédacteurs, gestionnaire de contenu
    商品説明, サイトの文章, 編集者, 文章を直
automate, automation, automatic, automatically, workflow, workflows, trigger, whenever, zapier, connect apps
    integrate, repetitive, automatiser, automatisation, automatiquement, déclencher, enchaîner, flux de travail
    relier des applis, 自動化, 自動で, 自動的, ワークフロー, 連携, つなぐ, つないで, トリガー, 自動処理, 繰り返し作業
    each time, every time, when a, glue tools together, without programming, à chaque, chaque fois, dès qu
    sans programmer, たびに, 来たら, 入ったら, 届いたら, されたら
record, records, base of, no-code, grid, enregistrement, enregistrements, sans code, レコード, ノーコード, 一覧表
    entries, guest list, inventory list, tick off, online table, export entries, entrées, invités, inventaire, cocher
    一覧を書き出, 招待客, 在庫表, オンラインの表
todo, to-do, task list, reminders, liste de tâches, choses à faire, やること, 買い物リスト, タスク管理
stock, stocks, share price, shares, finance, market price, portfolio of shares, bourse, actions en bourse
    cours de bourse, 株, 株価, 金融, 投資, 銘柄, 相場
crypto, bitcoin, ethereum, blockchain, wallet, token price, cryptomonnaie, 暗号資産, 仮想通貨, ビットコイン
    ブロックチェーン
flight, flights, hotel, hotels, trip, travel, train ticket, book a room, vol, vols, hôtel, voyage, billet de train
    旅行, 航空券, ホテル, 宿, 飛行機, 新幹線, 乗換, 切符
social media, twitter, tweet, facebook, instagram, linkedin, reddit, discord, tiktok, réseaux sociaux, SNS, ツイート
    投稿する
encyclopedia, wikipedia, encyclopédie, 百科事典, ウィキペディア
dictionary, definition of a word, synonym, dictionnaire, synonyme, 辞書, 意味, 類語
recipe, cook, cooking, food, recette, cuisine, manger, レシピ, 料理, 献立
health, medical, doctor, drug, disease, santé, médical, médecin, maladie, 健康, 医療, 病気, 薬
home automation, smart home, lights at home, thermostat, domotique, maison connectée, スマートホーム, 家電
job, jobs, hiring, resume, cv, recruiting, emploi, embauche, recrutement, 求人, 採用, 履歴書, 転職
qr code, barcode, code-barres, QRコード, バーコード
secret, secrets, password manager, vault, coffre-fort, gestionnaire de mots de passe, 秘密, パスワード管理, 金庫
compress files, zip, archive, unzip, décompresser, 圧縮ファイル, 解凍
regex, regular expression, expression régulière, 正規表現
math, calculate, calculator, equation, compute, calcul, calculer, équation, mathématiques, 計算, 数学, 方程式, 電卓
movie, film, tv show, series, cinema, série, cinéma, 映画, ドラマ
shop, store, products, e-commerce, ecommerce, orders, inventory, cart, boutique, magasin, commande, produits, panier
    ショップ, 商品, 通販, 注文, 在庫, 買い物, 店舗
law, legal, court, statute, loi, juridique, tribunal, 法律, 判例, 裁判
patent, patents, brevet, brevets, 特許
real estate, house, apartment, rent, immobilier, appartement, maison, loyer, 不動産, 家賃, 物件
feature flag, a/b test, rollout flag, drapeau de fonctionnalité, 機能フラグ
backup, back up, restore, sauvegarde, sauvegarder, restaurer, バックアップ, 復元
password, credentials, identifiants, mots de passe, 暗証番号
ssh, remote server, remote machine, serveur distant, 遠隔サーバー, リモートサーバー
analytics of website, visitors, traffic, page views, google analytics, fréquentation, visiteurs, アクセス解析, 訪問者
"""


def groups() -> list[list[str]]:
    """The words and phrases of each group."""
    text = GROUPS.strip().replace("\n    ", ", ")
    return [[word.strip() for word in line.split(",") if word.strip()] for line in text.split("\n")]

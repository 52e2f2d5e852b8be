"""Which changed files belong to the areas a task declared, and what is said about those that do not."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from deedlog.core.area import each_alone
from deedlog.core.errors import Invalid
from deedlog.core.scope import COMPANION, IN, OUT, Scope, covers, judge

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")
AUTH = {"auth": ["src/auth/**", "prisma/schema.prisma"]}


def normalized(form: Form, text: str) -> str:
    return unicodedata.normalize(form, text)


def judged(areas: str, paths: str, definitions: dict[str, list[str]] | None = None) -> str:
    """The paths (one a line, as are the areas) that are in, then those that accompany, then those that are out."""
    scope = Scope(areas.split("\n"), definitions)
    verdicts = {path: scope.judge(path).verdict for path in paths.replace("|", " ").split()}
    return " | ".join(
        " ".join(p for p, verdict in verdicts.items() if verdict == kind) for kind in (IN, COMPANION, OUT)
    )


@pytest.mark.proves("track:scope:match")
def test_the_document_s_example_finds_the_one_file_outside() -> None:
    assert judged("auth\napi", "auth.ts api.ts utils.ts") == "auth.ts api.ts |  | utils.ts"


@pytest.mark.proves("track:scope:match", "track:scope:companions")
def test_the_document_s_flow_is_all_in_scope() -> None:
    changed = "package.json src/middleware/auth.ts tests/auth.test.ts"
    assert judged("auth\nmiddleware", changed) == "src/middleware/auth.ts tests/auth.test.ts | package.json | "


@pytest.mark.proves("track:scope:match", "track:scope:companions")
def test_the_document_s_output_fits_no_area_only_with_none_declared() -> None:
    changed = "src/auth/config.ts src/middleware.ts package.json prisma/schema.prisma src/utils/old-jwt.ts"
    assert judged("", changed) == f"{changed} |  | "
    strict = "src/auth/config.ts src/middleware.ts | package.json | prisma/schema.prisma src/utils/old-jwt.ts"
    assert judged("auth\nmiddleware", changed) == strict


WHOLE_WORDS = {
    # an area: the files it covers | files it does not
    "auth": (
        "src/useAuth.tsx src/authGuard.ts AUTH/x lib/auth_service.rb internal/auth/token.go src/auth-utils/a.ts "
        "app/(auth)/login/page.tsx Auth.php AuthController.php IAuthService.cs src/auth.module.ts auth2.ts "
        "test_auth.py packages/auth/src/index.ts com/acme/auth/Main.java @acme-auth/x.ts Dockerfile.auth "
        ".env.auth | author/a.ts src/authors.ts unauthorized.ts src/authority.go reauth.ts src/oauth.ts "
        "src/OAuth.ts coauth/a src/x.auth"
    ),
    "api": (
        "HTTPApiClient.ts app/API/routes.py src/apis/x.ts PublicAPIs.md api-v2/x.go restAPI.js src/openApi.ts "
        "pages/api/user.ts | capital.ts rapid.ts apiary/x.ts therapist.py src/apiary.ts"
    ),
    "user": "app/models/user.rb app/controllers/users_controller.rb src/UserList.vue | src/useState.ts superuser.py",
    "users": "src/user/a.ts User.java db/users.sql | usher.ts",
    "category": "categories/x.py app/category.rb CategoryList.tsx | categorize.py",
    "categories": "category.ts | categor.ts",
    "class": "classes/a.py | clas/x",
    "process": "processes.go process.go | processing.go",
    "status": "StatusBar.tsx statuses/x | stats.ts state.ts",
    "cache": "caches/x cache.py | cached.py",
    "index": "indices/x indexes/y index.ts | indexer.ts",
    "people": "app/models/person.rb people/x | personal.rb",
    "io": "src/io/read.rs | ios/App.swift",
    "http": "net/http/a.go | net/https/a.go",
    "news": "news/page.tsx | new/page.tsx",
    "db": "db/a.sql src/dbClient.ts | dbx/a.ts",
    "user profile": (
        "src/UserProfile.tsx user-profile/a.ts user_profiles.py users_profile.py userprofile/x | user/profile.ts "
        "profile/user.ts user.ts profile.ts UserAgentProfile.ts"
    ),
    "websocket": "src/WebSocketServer.ts web-socket/x.ts web_sockets.py websocket.go | web/socket.ts socket.ts",
    "webSocket": "websocket.go WebSocket.ts | web.ts",
    "github": "GitHubClient.ts github/x.py git-hub.md | git/x.py hub.ts",
    "git": "src/git/x.py gitStatus.ts | GitHubClient.ts github.py",
    "oauth": "OAuthClient.ts src/oauth2/x.ts oauth.go | auth.ts",
    "oauth2": "OAuth2Client.ts src/oauth2/x.ts | oauth.go",
    "java": "src/main/java/A.java | JavaScriptParser.ts",
    "graphql": "GraphQLSchema.ts graphql/x | graph/ql.ts",
    "graph": "src/graph/x | GraphQLSchema.ts",
    "s3": "awsS3Client.ts s3/x.py S3.java | users3.ts s.ts",
    "i18n": "src/i18n/fr.json useI18n.ts | multi18next.ts i.ts",
    "e2e": "tests/e2e/a.spec.ts e2e.config.ts | e/2/e.ts",
    "ts": "ts/x | src/a.ts",
    "auth.ts": "auth.ts src/auth.ts src/Auth.ts | auth/x.ts auth.tsx use-auth.ts",
    "node.js": "node.js/x nodejs/y | node/x",
    "Makefile": "Makefile sub/makefile | make/x",
}


@pytest.mark.proves("track:scope:match")
@pytest.mark.parametrize("area", WHOLE_WORDS)
def test_an_area_is_whole_words_of_one_part_of_the_path(area: str) -> None:
    assert judged(area, WHOLE_WORDS[area]) == WHOLE_WORDS[area].replace(" | ", " |  | ")


OTHER_LANGUAGES = {
    "認証": "src/認証/a.py 認証サービス.py ユーザー認証.ts 認証.md 認証Service.ts | src/認証処理.py 認.md",
    "ユーザー": "ユーザー一覧.tsx src/ユーザ/a.ts ﾕｰｻﾞｰ/x | ユーザーズ.ts",
    "ログ": "ログ/a.txt | ログイン/a.ts カタログ.md",
    "バス": "バス/a | ハス/a パス/a",
    "お知らせ": "お知らせ一覧.md | 知らせ.md",
    "管理画面": "docs/管理画面.md | 管理.md 管理画面設計.md",
    "été": "docs/Ete/a.md vacances-d-été.md ÉTÉ.txt Étés/b.md | fête.md étéx.md",
    "etes": "Été.md | fete.md",
    "utilisateurs": "src/utilisateur/a.ts GestionUtilisateurs.php | utiliser.php",
    "réseau": "reseaux/x RéseauLocal.md | rese.md",
    "journal": "journaux/a.txt journal.py | journaliste.py",
    "cœur": "coeur/x.md Cœurs.md | cour.md",
    "größe": "GRÖSSE.md | gross.md",
    "настройки": "src/настройки/a.py НастройкиВида.py | настройка.py",
    "설정": "설정/a.py | 설정값.py",
    "ไฟล์": "ไฟล์/a.py | ไฟ.py",
}


@pytest.mark.proves("track:scope:match")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("area", OTHER_LANGUAGES)
def test_names_in_any_language_and_any_normal_form_are_words_too(area: str, form: Form) -> None:
    expected = normalized(form, OTHER_LANGUAGES[area])
    for written in FORMS:
        assert judged(normalized(written, area), expected) == expected.replace(" | ", " |  | ")


PATTERNS = {
    "src/auth": "src/auth/a.ts src/auth | src/author/a.ts lib/src/auth/a.ts",
    "src/auth/": "src/auth/a.ts src/auth/x/y.ts src/auth | src/auth.ts",
    "./src/auth": "src/auth/a.ts | auth/a.ts",
    "/src": "src/a.ts | lib/src/a.ts",
    "src/auth/**": "src/auth/a.ts | src/auth.ts",
    "*.sql": "a.sql db/b.sql | a.sqlx",
    "src/**/*.test.ts": "src/a.test.ts src/x/y/b.test.ts | src/a.ts test/a.test.ts",
    "src/{auth,api}/**": "src/auth/a.ts src/api/b.ts | src/web/c.ts src/{auth,api}x",
    "*.{ts,tsx}": "a.ts src/b.tsx | c.js",
    "{apps,packages}/{a,b}/src": "apps/a/src/x packages/b/src/y | apps/c/src/x",
    "internal/auth/...": "internal/auth/a.go internal/auth/x/b.go | internal/a.go",
    "app/[id]/page.tsx": "app/[id]/page.tsx app/i/page.tsx | app/x/page.tsx app/[slug]/page.tsx",
    "app/[...slug]": "app/[...slug]/page.tsx | app/[id]/page.tsx",
    "app/(shop)/cart/": "app/(shop)/cart/page.tsx | app/cart/page.tsx",
    ".github": ".github/workflows/ci.yml | github/ci.yml",
    ".env": ".env app/.env | .env.local env.ts",
    ".": "a.ts src/b.ts .env | ",
    "./...": "a.go x/b.go | ",
    "/": "a.ts src/b.ts | ",
    "**": "a.ts src/b.ts | ",
    "#1/notes": "#1/notes/a.txt | 1/notes/a.txt",
    "src/été": "src/été/a.md | src/ete/a.md",
    "src/auth\n!src/auth/legacy/": "src/auth/a.ts | src/auth/legacy/b.ts",
    "!src/auth/legacy/\nsrc/auth": "src/auth/a.ts | src/auth/legacy/b.ts",
    "auth\n!*.md": "src/auth/a.ts | src/auth/README.md docs/x.md",
    "auth\n!legacy": "src/auth/a.ts | src/auth/legacy/b.ts legacy/auth.ts",
    "!legacy/": "src/a.ts package.json | legacy/b.ts",
    "backend\n!package-lock.json": "backend/a.py | package-lock.json",
    " auth ": "auth/a.ts | x.ts",
    "auth\n\n!": "auth/a.ts | x.ts",
}


@pytest.mark.proves("track:scope:match")
@pytest.mark.parametrize("areas", PATTERNS)
def test_an_area_with_signs_is_a_pattern_and_an_exclusion_wins(areas: str) -> None:
    assert judged(areas, PATTERNS[areas]) == PATTERNS[areas].replace(" | ", " |  | ")


def test_a_pattern_matches_whatever_normal_form_the_file_system_keeps() -> None:
    for area in FORMS:
        for path in FORMS:
            assert covers(normalized(area, "src/été/"), normalized(path, "src/été/a.md"))


@pytest.mark.proves("track:scope:match")
def test_a_name_the_project_defines_stands_for_its_patterns_alone() -> None:
    changed = "src/auth/a.ts prisma/schema.prisma lib/auth.ts"
    assert judged("auth", changed, AUTH) == "src/auth/a.ts prisma/schema.prisma |  | lib/auth.ts"
    assert judged("Auth", changed, AUTH) == "src/auth/a.ts prisma/schema.prisma |  | lib/auth.ts"
    assert judged("src/\n!auth", "src/a.ts src/auth/a.ts", AUTH) == "src/a.ts |  | src/auth/a.ts"
    assert (
        judged("docs", "docs/a.md docs/old/b.md", {"docs": ["docs/", "!docs/old/"]}) == "docs/a.md |  | docs/old/b.md"
    )
    assert judged("@acme/auth", "packages/auth/a.ts", {"@acme/auth": ["packages/auth/"]}) == "packages/auth/a.ts |  | "
    assert judged("empty", "empty/a.ts", {"empty": []}) == " |  | empty/a.ts"


REPOSITORIES = {
    # areas: in | companions | out
    "billing\npackages/ui/": (
        "packages/billing/src/index.ts apps/web/src/features/billing/Invoice.tsx packages/ui/Button.tsx "
        "apps/api/src/billing.controller.ts | pnpm-lock.yaml packages/other/package.json "
        ".changeset/blue-dogs-sing.md apps/web/src/__snapshots__/Nav.test.tsx.snap | apps/web/src/App.tsx "
        "turbo.json tsconfig.json"
    ),
    "orders": (
        "orders/models.py orders/migrations/0002_total.py templates/orders/list.html tests/test_orders.py "
        "order_export.py | requirements.txt requirements/dev.in pyproject.toml uv.lock | shop/settings.py "
        "shop/urls.py"
    ),
    "invoice": (
        "app/models/invoice.rb app/controllers/invoices_controller.rb app/views/invoices/show.html.erb "
        "db/migrate/20240115_create_invoices.rb spec/models/invoice_spec.rb | Gemfile.lock db/schema.rb | "
        "config/routes.rb app/models/application_record.rb"
    ),
    "internal/auth\ncmd/server": (
        "internal/auth/jwt.go cmd/server/main.go | go.mod go.sum api/auth.pb.go vendor/modules.txt | "
        "internal/author/book.go pkg/log/log.go"
    ),
    "parser": (
        "crates/parser/src/lib.rs src/json_parser.rs | Cargo.lock crates/lexer/Cargo.toml src/snapshots/a.snap | "
        "src/main.rs src/parse.rs"
    ),
    "payment": (
        "src/main/java/com/acme/payment/Charge.java src/test/java/com/acme/payment/ChargeTest.java "
        "src/main/java/com/acme/web/PaymentController.java | pom.xml build.gradle.kts | "
        "src/main/resources/application.yml"
    ),
    "identity": (
        "src/Acme.Identity/UserStore.cs src/Acme.Web/IdentityController.cs | src/Acme.Web/Acme.Web.csproj "
        "Acme.sln src/Forms/Main.Designer.cs | src/Acme.Web/Program.cs"
    ),
    "認証\n管理画面": (
        "src/認証/トークン.py 画面/管理画面.vue docs/認証フロー.md | package-lock.json | docs/設計書.md src/商品.py"
    ),
    "facturation\nutilisateur": (
        "src/Facturation/Devis.php modules/gestion-utilisateurs/index.php | composer.lock CHANGELOG.md | "
        "src/Réseau/Client.php"
    ),
}


@pytest.mark.proves("track:scope:match", "track:scope:companions")
@pytest.mark.parametrize("areas", REPOSITORIES)
def test_in_real_repositories_files_fall_where_people_would_put_them(areas: str) -> None:
    assert judged(areas, REPOSITORIES[areas]) == REPOSITORIES[areas]


@pytest.mark.proves("track:scope:match")
def test_without_areas_everything_is_in_scope() -> None:
    for areas in ([], ["", "  "]):
        verdict = judge("anything/at/all.ts", areas)
        assert (verdict.verdict, verdict.rule) == (IN, "open")


@pytest.mark.proves("track:scope:match")
def test_a_rename_is_in_scope_when_either_name_is() -> None:
    away = judge("src/auth/token.ts", ["auth"], renamed=["src/shared/token.ts"])
    there = judge("src/shared/token.ts", ["auth"], renamed=["src/auth/token.ts"])
    assert (away.verdict, away.through) == (IN, "")
    assert (there.verdict, there.rule, there.area) == (IN, "words", "auth")
    assert there.reason() == "src/shared/token.ts: renamed, and src/auth/token.ts: area 'auth' is a word of 'auth'"
    assert judge("a/x.ts", ["auth"], renamed=["b/x.ts"]).verdict == OUT
    assert judge("a/x.ts", ["auth"], renamed=["b/go.sum"]).verdict == COMPANION
    assert judge("go.sum", ["auth"], renamed=["auth/go.sum"]).verdict == IN
    assert judge("go.sum", ["auth"], renamed=["b/x.ts"]).verdict == COMPANION


def test_a_rename_out_of_an_excluded_place_stays_out() -> None:
    areas = ["auth", "!legacy/"]
    assert judge("legacy/token.ts", areas, renamed=["src/auth/token.ts"]).rule == "excluded"
    assert judge("src/auth/token.ts", areas, renamed=["legacy/token.ts"]).verdict == IN
    assert judge("src/x/token.ts", areas, renamed=["legacy/auth.ts"]).verdict == OUT


@pytest.mark.proves("track:scope:unexpected")
@pytest.mark.parametrize(
    ("areas", "path", "reason"),
    [
        ("auth api", "src/utils.ts", "no declared area (auth, api) covers it"),
        ("auth", "src/auth/x.ts", "area 'auth' is a word of 'auth'"),
        ("auth", "package.json", "accompanies the change (manifest)"),
        ("auth", "yarn.lock", "accompanies the change (lock file)"),
        ("src/*.ts", "src/x.ts", "matches 'src/*.ts'"),
        ("docs !docs/old/", "docs/old/a.md", "'!docs/old/' takes it out"),
        ("!docs/old/", "src/x.ts", "no area was declared that would leave it out"),
        ("auth", "src/authentication/x.ts", "no declared area (auth) covers it; 'authentication' is near area 'auth'"),
        ("oauth", "src/auth/x.ts", "no declared area (oauth) covers it; 'auth' is near area 'oauth'"),
        (
            "authentication",
            "auth.ts",
            "no declared area (authentication) covers it; 'auth' is near area 'authentication'",
        ),
        ("database", "db/x.sql", "no declared area (database) covers it; 'db' is near area 'database'"),
        ("i18n", "src/locales/fr.json", "no declared area (i18n) covers it; 'locales' is near area 'i18n'"),
        ("認証", "認証処理.py", "no declared area (認証) covers it; '認証処理' is near area '認証'"),
        ("user", "src/useState.ts", "no declared area (user) covers it"),
        ("a b c d e f g", "x.ts", "no declared area (a, b, c, d, e, f, …) covers it"),
    ],
)
def test_every_verdict_says_why(areas: str, path: str, reason: str) -> None:
    declared = areas.split()
    assert judge(path, declared).reason(declared) == f"{path}: {reason}"


def test_a_defined_name_says_which_pattern() -> None:
    verdict = judge("prisma/schema.prisma", ["auth"], AUTH)
    assert (verdict.rule, verdict.area, verdict.matched) == ("named", "auth", "prisma/schema.prisma")
    assert verdict.reason() == "prisma/schema.prisma: area 'auth' stands for 'prisma/schema.prisma'"
    near = judge("src/authentication/a.ts", ["auth"], AUTH)
    assert near.hint == "'authentication' is near area 'auth'"


def test_a_defined_name_is_not_said_to_be_near_itself() -> None:
    verdict = judge("src/login/a.ts", ["Login"], {"login": ["app/login/"]})
    assert (verdict.verdict, verdict.hint) == ("out", "")


@pytest.mark.parametrize("area", ["src,docs", "src, docs", "{a,b},c", "src/{a,b"])
def test_several_areas_in_one_are_refused(area: str) -> None:
    with pytest.raises(Invalid, match="holds a comma") as refused:
        each_alone(["auth", area])
    assert "--areas src --areas docs" in refused.value.hint


def test_a_comma_between_braces_is_a_choice() -> None:
    areas = ["src/{a,b}/**", "{a,{b,c}}.ts", "auth"]
    assert each_alone(areas) == areas


def test_patterns_are_asked_before_names_and_names_before_words() -> None:
    areas = ["src", "auth", "src/**"]
    assert judge("src/auth/a.ts", areas, AUTH).rule == "pattern"
    assert judge("src/auth/a.ts", areas[:2], AUTH).rule == "named"
    assert judge("src/auth/a.ts", areas[:1], AUTH).rule == "words"
    assert judge("auth/api.ts", ["api", "auth"]).area == "auth"
    assert judge("auth-api.ts", ["api", "auth"]).area == "api"


def test_a_path_that_is_no_text_is_judged_and_shown_quoted() -> None:
    path = b"src/auth/caf\xe9.ts".decode("utf-8", "surrogateescape")
    assert judge(path, ["auth"]).verdict == IN
    out = judge(path, ["api"])
    assert out.reason(["api"]) == r'"src/auth/caf\351.ts": no declared area (api) covers it'
    assert judge(path, ["caf"]).why().encode()
    assert judge("x.ts", ["caf"], renamed=[path]).reason().encode()


def test_covers_says_what_matched() -> None:
    assert covers("auth", "src/auth/a.ts") == "auth"
    assert covers("src/*/a.ts", "src/auth/a.ts") == "src/*/a.ts"
    assert covers("auth", "prisma/schema.prisma", AUTH) == "prisma/schema.prisma"
    assert covers("auth", "src/author/a.ts") == ""
    assert covers("!auth", "src/auth/a.ts") == ""
    assert covers("", "src/auth/a.ts") == ""
    assert covers("---", "src/auth/a.ts") == ""

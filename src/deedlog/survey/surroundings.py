"""What the files around the code say: containers, services, pipelines, where it is deployed."""

from __future__ import annotations

import re

from deedlog.survey.found import pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.survey.found import Found

FROM = re.compile(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE | re.MULTILINE)
IMAGE = re.compile(r"""^[ \t]*(?:-[ \t]+)?image:[ \t]*["']?([\w./:@$-]+)""", re.MULTILINE)
CHART = re.compile(r"""^[ \t]*-[ \t]+name:[ \t]*["']?([\w-]+)""", re.MULTILINE)
PRISMA = re.compile(r"\bdatasource\s+\w+\s*\{")
PRISMA_PROVIDER = re.compile(r"[^}]*?\bprovider\s*=\s*\"(\w+)\"")
JDBC = re.compile(r"\bjdbc:(\w+):")
ADAPTER = re.compile(r"""^[ \t]*adapter:[ \t]*["']?(\w+)""", re.MULTILINE)
ADDRESS = re.compile(r"""^[ \t]*(?:export[ \t]+)?\w+[ \t]*=[ \t]*["']?([a-z]\w*)(?:\+\w+)?://""", re.MULTILINE)
TOOL = re.compile(r"^(\w[\w-]*)[ \t]+\S", re.MULTILINE)
PROVIDER = re.compile(r'^[ \t]*(?:provider|resource|data)[ \t]+"([a-z0-9]+)', re.MULTILINE)
RESOURCE = re.compile(r'^[ \t]*resource[ \t]+"(\w+)"', re.MULTILINE)
TOOLS = {
    "nodejs": "Node.js", "node": "Node.js", "python": "Python", "golang": "Go", "go": "Go", "ruby": "Ruby",
    "java": "Java", "erlang": "Erlang", "elixir": "Elixir", "rust": "Rust", "terraform": "Terraform",
    "bun": "Bun", "deno": "Deno", "php": "PHP", "dotnet": ".NET",
}  # fmt: skip
CLOUDS = {
    "aws": "AWS", "google": "Google Cloud", "azurerm": "Azure", "digitalocean": "DigitalOcean",
    "hcloud": "Hetzner Cloud", "cloudflare": "Cloudflare", "kubernetes": "Kubernetes", "helm": "Helm",
    "scaleway": "Scaleway", "ovh": "OVHcloud",
}  # fmt: skip
RESOURCES = {  # what a resource's type begins with
    "aws_s3_": "Amazon S3", "aws_sqs_": "Amazon SQS", "aws_sns_": "Amazon SNS", "aws_lambda_": "AWS Lambda",
    "aws_dynamodb_": "DynamoDB", "aws_ecs_": "Amazon ECS", "aws_eks_": "Amazon EKS", "aws_rds_": "Amazon RDS",
    "aws_db_instance": "Amazon RDS", "aws_cognito_": "Amazon Cognito", "aws_msk_": "Kafka",
    "aws_kinesis_": "Kinesis", "google_cloud_run": "Cloud Run", "google_pubsub_": "Google Pub/Sub",
    "google_container_": "GKE", "google_sql_": "Cloud SQL", "google_storage_": "Google Cloud Storage",
    "google_bigquery_": "BigQuery", "azurerm_kubernetes_": "AKS",
    "azurerm_container_app": "Azure Container Apps", "azurerm_servicebus_": "Azure Service Bus",
}  # fmt: skip
THERE = {  # a file whose being there says it
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "Yarn", ".yarnrc.yml": "Yarn",
    "pnpm-lock.yaml": "pnpm", "pnpm-workspace.yaml": "pnpm", "bun.lock": "Bun", "bun.lockb": "Bun",
    "turbo.json": "Turborepo", "nx.json": "Nx", "lerna.json": "Lerna", "poetry.lock": "Poetry", "uv.lock": "uv",
    "Pipfile.lock": "Pipenv", "pdm.lock": "PDM", ".nvmrc": "Node.js", ".node-version": "Node.js",
    ".python-version": "Python", ".ruby-version": "Ruby", ".go-version": "Go", "rust-toolchain.toml": "Rust",
    "rust-toolchain": "Rust", "global.json": ".NET", ".gitlab-ci.yml": "GitLab CI", "Jenkinsfile": "Jenkins",
    "azure-pipelines.yml": "Azure Pipelines", "bitbucket-pipelines.yml": "Bitbucket Pipelines",
    ".travis.yml": "Travis CI", ".drone.yml": "Drone", ".woodpecker.yml": "Woodpecker CI",
    "cloudbuild.yaml": "Cloud Build", "buildspec.yml": "AWS CodeBuild", "Chart.yaml": "Helm",
    "helmfile.yaml": "Helm", "kustomization.yaml": "Kubernetes", "kustomization.yml": "Kubernetes",
    "skaffold.yaml": "Skaffold", "Tiltfile": "Tilt", "Pulumi.yaml": "Pulumi", "cdk.json": "AWS CDK",
    "serverless.yml": "Serverless Framework", "serverless.ts": "Serverless Framework",
    "samconfig.toml": "AWS SAM", "sst.config.ts": "SST", "vercel.json": "Vercel", "netlify.toml": "Netlify",
    "fly.toml": "Fly.io", "Procfile": "Heroku", "render.yaml": "Render", "railway.json": "Railway",
    "railway.toml": "Railway", "wrangler.toml": "Cloudflare Workers", "wrangler.json": "Cloudflare Workers",
    "wrangler.jsonc": "Cloudflare Workers", "firebase.json": "Firebase", "amplify.yml": "AWS Amplify",
    "angular.json": "Angular", "manage.py": "Django", "artisan": "Laravel", "symfony.lock": "Symfony",
    "alembic.ini": "Alembic", "sqlc.yaml": "sqlc", "buf.yaml": "gRPC", "tsconfig.json": "TypeScript",
    "biome.json": "Biome", "pytest.ini": "pytest", "tox.ini": "tox", "mypy.ini": "mypy", "ruff.toml": "Ruff",
    "Vagrantfile": "Vagrant", "ansible.cfg": "Ansible", "flake.nix": "Nix", "meson.build": "Meson",
    "WORKSPACE": "Bazel", "MODULE.bazel": "Bazel", "mkdocs.yml": "MkDocs", "docusaurus.config.js": "Docusaurus",
    "gradlew": "Gradle", "mvnw": "Maven", "drizzle.config.ts": "Drizzle", "playwright.config.ts": "Playwright",
    "cypress.config.ts": "Cypress", "vite.config.ts": "Vite", "vite.config.js": "Vite",
    "next.config.js": "Next.js", "next.config.mjs": "Next.js", "next.config.ts": "Next.js",
    "nuxt.config.ts": "Nuxt", "svelte.config.js": "Svelte", "astro.config.mjs": "Astro",
    "tailwind.config.js": "Tailwind CSS", "tailwind.config.ts": "Tailwind CSS", "jest.config.js": "Jest",
    "jest.config.ts": "Jest", "vitest.config.ts": "Vitest", "liquibase.properties": "Liquibase",
    "flyway.conf": "Flyway", "atlas.hcl": "Atlas", "schema.graphql": "GraphQL", "openapi.yaml": "OpenAPI",
    ".goreleaser.yml": "GoReleaser", "prometheus.yml": "Prometheus", "nginx.conf": "nginx",
    "Caddyfile": "Caddy",
}  # fmt: skip
FOLDERS = {  # a file below it says it
    ".github/workflows": "GitHub Actions", ".circleci": "CircleCI", ".buildkite": "Buildkite",
    ".storybook": "Storybook", "supabase": "Supabase", ".forgejo/workflows": "Forgejo Actions",
    ".gitea/workflows": "Gitea Actions",
}  # fmt: skip
KUBERNETES = ("k8s", "kubernetes", "helm", "kustomize")


def dockerfile(text: str, found: Found) -> None:
    found.name("Docker")
    lines = FROM.findall(text)
    stages = {stage for _, stage in lines if stage}
    found.images(image for image, _ in lines if image not in stages)


def compose(text: str, found: Found) -> None:
    found.name("Docker", "Docker Compose")
    found.images(IMAGE.findall(text))


def services(text: str, found: Found) -> None:
    found.images(IMAGE.findall(text))


def chart(text: str, found: Found) -> None:
    found.name("Helm", "Kubernetes")
    found.package("", *CHART.findall(text))


def terraform(text: str, found: Found) -> None:
    found.ecosystem("terraform")
    found.name("Terraform")
    found.name(*(CLOUDS[name] for name in PROVIDER.findall(text) if name in CLOUDS))
    kinds = RESOURCE.findall(text)
    found.name(*(shown for start, shown in RESOURCES.items() if any(kind.startswith(start) for kind in kinds)))


def prisma(text: str, found: Found) -> None:
    found.name("Prisma")
    providers = (PRISMA_PROVIDER.match(piece) for piece in pieces(PRISMA, text, 1_000))
    found.package("", *(provider[1] for provider in providers if provider))


def spring(text: str, found: Found) -> None:
    found.package("", *JDBC.findall(text))


def rails(text: str, found: Found) -> None:
    found.package("", *ADAPTER.findall(text))


def addresses(text: str, found: Found) -> None:
    found.package("", *ADDRESS.findall(text))


def tool_versions(text: str, found: Found) -> None:
    found.name(*(TOOLS[name] for name in TOOL.findall(text) if name in TOOLS))


def tsconfig(_text: str, found: Found) -> None:
    found.ecosystem("javascript", "typescript")
    found.name("TypeScript")


BY_NAME: dict[str, Callable[[str, Found], None]] = {
    "Dockerfile": dockerfile,
    "Containerfile": dockerfile,
    "docker-compose.yml": compose,
    "docker-compose.yaml": compose,
    "compose.yml": compose,
    "compose.yaml": compose,
    "Chart.yaml": chart,
    "schema.prisma": prisma,
    "application.properties": spring,
    "application.yml": spring,
    "application.yaml": spring,
    "database.yml": rails,
    ".env.example": addresses,
    ".env.sample": addresses,
    ".env.template": addresses,
    ".tool-versions": tool_versions,
    "tsconfig.json": tsconfig,
    ".gitlab-ci.yml": services,
}
BY_ENDING: dict[str, Callable[[str, Found], None]] = {".tf": terraform, ".prisma": prisma, ".dockerfile": dockerfile}
BY_BEGINNING: dict[str, Callable[[str, Found], None]] = {"Dockerfile.": dockerfile, "docker-compose.": compose}

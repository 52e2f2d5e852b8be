from __future__ import annotations

import pytest

from deedlog.core.secret import may_be_secret, without_secret

SECRET = """
.env  .env.local  .env.production  .env-prod  .env_test  prod.env  app/.ENV  .envrc  .env.d/database
deploy/.env.d/a/b.conf
server.pem  certs/server.key  AuthKey_1A2B.p8  a.p12  a.pfx  putty.ppk  key.asc  a.jks  release.keystore
host.keytab  a.kdbx  home.ovpn
id_rsa  .ssh/id_ed25519  id_rsa_work  id_ecdsa.bak
.netrc  .pgpass  .my.cnf  .htpasswd  .git-credentials  .npmrc  .pypirc  .dockercfg  rclone.conf  .vault-token
credentials  .aws/credentials  .cargo/credentials.toml  credentials.json  .credentials.json  credentials.csv
credentials.tfrc.json
secrets.yaml  secrets.yml  secrets.json  secrets.toml  secrets.env  secrets.properties  secret.yaml
config/secrets.yml  .streamlit/secrets.toml
secrets.prod.yaml  values.secrets.yaml  .secrets  Secrets.json
terraform.tfvars  prod.auto.tfvars  prod.tfvars.json  terraform.tfstate  terraform.tfstate.backup
terraform.tfstate.1731600000.backup
.docker/config.json  home/.kube/config  kubeconfig  .config/gh/hosts.yml  .m2/settings.xml
service-account.json  service-account-prod.json  service_account.json  client_secret_12.apps.json
shop-firebase-adminsdk-x1.json
.env~  server.key.old  secrets.yml.orig  .env.1
"""
PLAIN = """
.env.example  .env.sample  .env.template  prod.env.dist  id_rsa.pub  terraform.tfvars.example
secrets.example.yaml  secrets.yaml.template
secrets.schema.json  service-account.schema.json  .env.example.bak
secrets.py  secret.go  credentials.ts  src/secrets/index.ts  src/credentials/store.py  secrets.service.ts
SecretStore.java  credentials.yml.enc
secretary.json  my-secrets-guide.md  external-secrets.yaml  keys.json  environment.ts  env.d.ts
env/settings.json  .secrets.baseline
config.json  docker/config.json  .kube/config.md  .docker/daemon.json  kube/config  hosts.yml  settings.xml
.github/config
main.tf  tfvars.md  tfstate.go  app.mobileprovision  service-account.ts  package.json  README.md  notes.bak  5
.bak  a  .gitignore
"""


@pytest.mark.parametrize("path", SECRET.split())
def test_the_usual_places_of_secrets_are_known(path: str) -> None:
    assert may_be_secret(path)
    assert may_be_secret(f"deep/down/{path}")


@pytest.mark.parametrize("path", PLAIN.split())
def test_examples_sources_and_names_that_only_sound_alike_are_kept(path: str) -> None:
    assert not may_be_secret(path)
    assert not may_be_secret(f"deep/down/{path}")


@pytest.mark.parametrize(
    ("secret", "patch", "shown"),
    [
        ("a" * 64, b'+ "Bearer ' + b"a" * 64 + b'"\n+x', b'+ "Bearer (hidden)"\n+x'),
        ("a" * 64, b"-token=" + b"a" * 64, b"-token=(hidden)"),
        ("secret", b"+a secret\n+Bearer secret", b"+a secret\n+Bearer (hidden)"),
        ("", b"+Bearer x", b"+Bearer x"),
    ],
)
def test_our_token_is_not_in_a_patch(secret: str, patch: bytes, shown: bytes) -> None:
    assert without_secret(patch, secret) == shown

#!/usr/bin/env python3
"""Asks Drover for this instance's join token and writes the Zoomies agent's environment file.

Usage: join.py JOIN_URL FILE, as root, once at boot. JOIN_URL is the stack's output ZoomiesJoinUrl. The request is signed
with the instance's own role (Signature Version 4, session token included), whose name for the session is the instance id.
Credentials and token are in no argument and no output; FILE is readable by root alone. Needs Python 3.6 or later.
"""
import datetime
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

IMDS = os.environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://169.254.169.254").rstrip("/")
PATIENCE = float(os.environ.get("DROVER_JOIN_PATIENCE_SECONDS", "900"))
PAUSE = float(os.environ.get("DROVER_JOIN_PAUSE_SECONDS", "5"))
# Straight to the address: a proxy in the environment is for others.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def imds(path, token=None):
    headers = {"X-aws-ec2-metadata-token": token} if token else {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
    request = urllib.request.Request(IMDS + path, headers=headers, method="GET" if token else "PUT")
    return DIRECT.open(request, timeout=5).read().decode()


def hashed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signed(url, region, access_key, secret_key, session_token, now):
    """Headers of a POST without a body, signed for API Gateway (IAM user guide, "Create a signed AWS API request")."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    scope = "/".join([stamp[:8], region, "execute-api", "aws4_request"])
    parts = urllib.parse.urlsplit(url)
    headers = {"host": parts.netloc, "x-amz-date": stamp, "x-amz-security-token": session_token}
    names = ";".join(sorted(headers))
    lines = ["%s:%s" % (name, headers[name]) for name in sorted(headers)]
    path = urllib.parse.quote(parts.path or "/", safe="/-_.~")
    request = "\n".join(["POST", path, "", *lines, "", names, hashlib.sha256(b"").hexdigest()])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret_key).encode()
    for part in scope.split("/"):
        key = hashed(key, part)
    headers["authorization"] = "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (
        access_key, scope, names, hashed(key, to_sign).hex())
    return headers


def ask(url):
    token = imds("/latest/api/token")
    region = imds("/latest/meta-data/placement/region", token)
    role = imds("/latest/meta-data/iam/security-credentials/", token).strip()
    keys = json.loads(imds("/latest/meta-data/iam/security-credentials/" + role, token))
    headers = signed(url, region, keys["AccessKeyId"], keys["SecretAccessKey"], keys["Token"],
                     datetime.datetime.now(datetime.timezone.utc))
    request = urllib.request.Request(url, data=b"", headers=headers, method="POST")
    return json.loads(urllib.request.urlopen(request, timeout=30).read())


def main(url, file):
    until = time.monotonic() + PATIENCE
    while True:
        try:
            answer = ask(url)
            break
        except urllib.error.HTTPError as error:
            said = error.read(2000).decode("utf-8", "replace")
            if error.code == 409:
                print("This instance has joined already.")
                return 0
            # 425: not in its launch hook yet; 404: a group shows a new instance late. 429 and 5xx: later. Everything else needs a person.
            if error.code not in (404, 425, 429) and error.code < 500:
                print("Drover refused: %d %s" % (error.code, said), file=sys.stderr)
                return 1
        except (OSError, ValueError, KeyError) as error:
            said = type(error).__name__
        if time.monotonic() > until:
            print("Drover gave no token in time: %s" % said, file=sys.stderr)
            return 1
        time.sleep(PAUSE)
    labels = ",".join("%s=%s" % item for item in sorted(answer["labels"].items()))
    values = {"ZOOMIES_CONTROLLER_URL": answer["url"], "ZOOMIES_JOIN_TOKEN": answer["token"],
              "ZOOMIES_AGENT_NAME": answer["name"], "ZOOMIES_AGENT_CAPACITY": answer["capacity"],
              "ZOOMIES_AGENT_LABELS": labels, "ZOOMIES_AGENT_BACKEND": answer["backend"]}
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write("".join("%s=%s\n" % item for item in values.items()))
    print("Token written for %s." % answer["name"])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else "Usage: join.py JOIN_URL FILE")

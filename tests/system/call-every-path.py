"""Calls every path of a running monitor that needs no credential with the client generated from its OpenAPI document.

Arguments: the folder with the package `monitor`, the document, the address of the monitor. Prints what was called, a line each.
"""

import importlib
import json
import re
import sys
from datetime import datetime

folder, document, address = sys.argv[1:]
sys.path.insert(0, folder)
monitor = importlib.import_module("monitor")
client = monitor.Client(base_url=address, raise_on_unexpected_status=True)


def python_name(name):
    return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def plain(value):
    """Instants of one time are equal, however they are written."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else value
    except ValueError:
        return value


def module_of(operation):
    name = python_name(operation["operationId"])
    return importlib.import_module(f"monitor.api.{operation['tags'][0]}.{name}")


def arguments_of(operation, contract):
    arguments = {
        python_name(parameter["name"]): account_key
        for parameter in operation.get("parameters", [])
        if parameter.get("in") == "path"
    }
    body = operation.get("requestBody")
    if body is not None:
        name = body["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
        required = contract["components"]["schemas"][name].get("required", [])
        model = getattr(importlib.import_module("monitor.models"), name)
        arguments["body"] = model.from_dict({member: "python" for member in required})
    return arguments


def called(operation, contract):
    module = module_of(operation)
    arguments = arguments_of(operation, contract)
    if any(kind.startswith("text/event-stream") for kind in operation["responses"]["200"]["content"]):
        with client.get_httpx_client().stream(**module._get_kwargs(**arguments)) as answer:
            assert answer.status_code == 200, answer.status_code
            return next(answer.iter_lines())
    answer = module.sync_detailed(client=client, **arguments)
    # The sample pool has no store to read single requests from.
    is_without_store = getattr(answer.parsed, "status", None) == "no_store"
    assert answer.status_code == (503 if is_without_store else 200), answer.status_code
    if isinstance(answer.parsed, str):
        assert answer.parsed == answer.content.decode()
    else:
        assert plain(answer.parsed.to_dict()) == plain(json.loads(answer.content))
    return type(answer.parsed).__name__


with open(document, encoding="utf-8") as file:
    contract = json.load(file)
ranking = importlib.import_module("monitor.api.snapshot.get_recommendations").sync(client=client)
account_key = ranking.items[0].selector.account_key
for path, operations in contract["paths"].items():
    for method, operation in operations.items():
        if operation["security"] == []:
            print(f"{method} {path}: {called(operation, contract)}", flush=True)

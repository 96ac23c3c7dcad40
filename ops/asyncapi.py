"""Checks of topics/asyncapi.yaml beyond what its examples say."""

import json

import yaml
from asyncapi3.models import AsyncAPI3
from pydantic import ValidationError

FORMAT = "application/schema+json;version=draft-07"


class Document:
    """The document, with what is wrong with it."""

    def __init__(self, schemas, folder):
        self._schemas = schemas
        self._folder = folder
        self._tree = yaml.safe_load((folder / "asyncapi.yaml").read_text())
        self.channels = self._tree["channels"]
        self.messages = self._tree["components"]["messages"]
        self.faults = []

    def check(self):
        """Holds it to the rules of AsyncAPI 3, to its references, and to topics/*.json."""
        try:
            AsyncAPI3.model_validate(self._tree)
        except ValidationError as error:
            self.faults += [
                f"{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
            ]
        for path, reference in references(self._tree):
            self._resolve(path, reference)
        self._check_channels()
        self._check_operations()
        for name, message in self.messages.items():
            self._check_examples(name, message)

    def schema_names(self):
        """What schemas the messages have, as `name.schema.json` or with a pointer behind it."""
        for message in self.messages.values():
            for part in (message.get("payload"), message.get("headers")):
                if part:
                    yield part["schema"]["$ref"].removeprefix("schemas/")

    def examples(self):
        """Every example: the message's name, what its payload is, and its headers."""
        for name, message in self.messages.items():
            for example in message.get("examples", []):
                yield name, example["payload"], example.get("headers")

    def _resolve(self, path, reference):
        file, _, pointer = reference.partition("#")
        target = json.loads((self._folder / file).read_text()) if file else self._tree
        try:
            for step in pointer.split("/")[1:]:
                target = target[step]
        except KeyError:
            self.faults.append(f"{path}: nothing at {reference}")

    def _check_channels(self):
        topics = [json.loads(path.read_text()) for path in sorted(self._folder.glob("*.json"))]
        channels = {channel["address"]: channel for channel in self.channels.values()}
        if channels.keys() != {topic["name"] for topic in topics}:
            self.faults.append(f"channels: {sorted(channels)}")
        for topic in topics:
            channel = channels.get(topic["name"], {})
            said = [channel.get("description"), channel.get("bindings", {}).get("kafka")]
            binding = {
                "topic": topic["name"],
                "partitions": topic["partitions"],
                "topicConfiguration": {
                    name: value.split(",") if name == "cleanup.policy" else yaml.safe_load(value)
                    for name, value in (topic["contract"] | topic["initial"]).items()
                },
                "bindingVersion": "0.5.0",
            }
            if said != [topic["description"], binding]:
                self.faults.append(f"{topic['name']}: its file says {binding}")

    def _check_operations(self):
        actions = {"input": ["receive"], "output": ["send"], "state": ["receive", "send"]}
        for name, channel in self.channels.items():
            topic = json.loads((self._folder / f"{channel['address']}.json").read_text())
            operations = [
                operation
                for operation in self._tree["operations"].values()
                if operation["channel"]["$ref"] == f"#/channels/{name}"
            ]
            if sorted(operation["action"] for operation in operations) != actions[topic["role"]]:
                self.faults.append(f"{name}: not the operations of an {topic['role']} topic")
            place = f"#/channels/{name}/messages"
            messages = [{"$ref": f"{place}/{message}"} for message in channel["messages"]]
            for operation in operations:
                if operation["messages"] != messages:
                    self.faults.append(f"{name}: an operation without some of its messages")

    def _check_examples(self, name, message):
        if "kafka" not in message["bindings"] or "key" not in message["bindings"]["kafka"]:
            self.faults.append(f"{name}: no key")
        # The changelog has a form of the worker's own.
        if "examples" not in message and name != "state":
            self.faults.append(f"{name}: no example")
        for part in ("payload", "headers"):
            if part not in message:
                continue
            if message[part]["schemaFormat"] != FORMAT:
                self.faults.append(f"{name}: {message[part]['schemaFormat']}")
            schema = message[part]["schema"]["$ref"].removeprefix("schemas/")
            for example in message["examples"]:
                for fault in self._schemas.faults(schema, example[part]):
                    self.faults.append(f"{name}, example: {fault}")


def references(tree, path=""):
    """Every reference of a document, with its place."""
    items = enumerate(tree) if isinstance(tree, list) else getattr(tree, "items", list)()
    for name, part in items:
        if name == "$ref":
            yield path, part
        else:
            yield from references(part, f"{path}/{name}")

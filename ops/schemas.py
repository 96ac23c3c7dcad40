"""The JSON Schemas in topics/schemas, ready to validate with."""

import decimal
import json
import pathlib

from jsonschema import Draft7Validator, validators

TOPICS = pathlib.Path(__file__).resolve().parent.parent / "topics"

# An id is written without fraction or exponent, so 7.0 is none.
Validator = validators.extend(
    Draft7Validator,
    type_checker=Draft7Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def parse(text):
    """Reads JSON with its fractions as they stand: the last times of 64 bits are no doubles."""
    return json.loads(text, parse_float=decimal.Decimal)


class Schemas:
    """All schemas, which refer to one another by file name."""

    def __init__(self):
        self.by_name = {
            path.name: parse(path.read_text()) for path in TOPICS.glob("schemas/*.schema.json")
        }
        for schema in self.by_name.values():
            Draft7Validator.check_schema(schema)
        self._validators = {}

    def faults(self, reference, value):
        """What the schema `name.schema.json` or `name.schema.json#/pointer` finds wrong with a
        value, a sentence each."""
        if reference not in self._validators:
            self._validators[reference] = Validator(self.expanded(reference))
        return [
            f"{error.json_path}: {error.message[:300]}"
            for error in self._validators[reference].iter_errors(value)
        ]

    def expanded(self, reference):
        """A schema with what it refers to in place of each reference, which is also much faster
        than looking that up again for each value."""
        return self._expanded({"$ref": reference}, None)

    def _expanded(self, schema, file):
        if isinstance(schema, list):
            return [self._expanded(part, file) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" not in schema:
            # Without its dialect: that would lead to the library's own validator.
            return {
                name: self._expanded(part, file)
                for name, part in schema.items()
                if name != "$schema"
            }
        if len(schema) > 1:
            raise ValueError(f"{file}: draft 7 ignores what stands beside {schema['$ref']}")
        name, _, pointer = schema["$ref"].partition("#")
        target = self.by_name[name or file]
        for step in pointer.split("/")[1:]:
            target = target[step]
        return self._expanded(target, name or file)


def output_faults(schemas, line):
    """What is wrong with one line that `rollcall replay` wrote."""
    if line["topic"] == "rejected":
        return schemas.faults("rejected-headers.schema.json", line["headers"])
    value = line["value"]
    key = value.get("conversationId")
    if line["topic"] == "actions":
        reference = "action-message.schema.json"
    elif line["topic"] == "status":
        reference = "status.schema.json"
        key = f"{key}#{value.get('messageId')}"
    else:
        # By the event's own schema, which tells more than "is valid under none of".
        if value.get("event") not in schemas.by_name["event.schema.json"]["definitions"]:
            return [f"no schema for the event {value.get('event')}"]
        reference = f"event.schema.json#/definitions/{value['event']}"
    faults = schemas.faults(reference, value)
    if line["key"] != key:
        faults.append(f"the key is {line['key']}, not {key}")
    return faults


def kind(line):
    """Which kind of record one line that `rollcall replay` wrote is."""
    if line["topic"] == "events":
        return line["value"]["event"]
    if line["topic"] == "status":
        value = line["value"]
        return " ".join(filter(None, ("status", value["tracking"], value.get("reason"))))
    if line["topic"] == "rejected":
        return line["headers"]["error.code"]
    return "action message"


def kinds(schemas):
    """Every kind of record that `rollcall replay` can write."""
    events = schemas.by_name["event.schema.json"]["oneOf"]
    codes = schemas.by_name["rejected-headers.schema.json"]["properties"]["error.code"]["enum"]
    statuses = ["status on"]
    for form in schemas.by_name["status.schema.json"]["oneOf"]:
        tracking, reason = (form["properties"][name] for name in ("tracking", "reason"))
        if reason:
            reasons = reason["enum"] if "enum" in reason else [reason["const"]]
            statuses += [f"status {tracking['const']} {word}" for word in reasons]
    # No operator stands beside `replay`.
    codes = [code for code in codes if code != "ERR_SKIPPED"]
    names = [event["$ref"].rsplit("/", 1)[1] for event in events]
    return names + ["action message"] + statuses + codes

"""Lets the emulator's CloudFormation make what its own does not know of EKS, at the address in SLUICE_EKS."""
import json
import os
import urllib.parse
import urllib.request

address = os.environ.get("SLUICE_EKS")


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"{}")


def lower(props):
    return {name[0].lower() + name[1:]: value for name, value in props.items()}


def create(path, identify):
    def made(logical_id, props, stack_name):
        answer = call("POST", f"/clusters/{props['ClusterName']}/{path}", lower(props))
        return identify(props, answer), {}

    return made


def delete(path):
    def gone(physical_id, props):
        name = urllib.parse.quote(physical_id, safe="")
        call("DELETE", f"/clusters/{props['ClusterName']}/{path}/{name}")

    return gone


if address:
    from ministack.services.cloudformation import provisioners

    provisioners._RESOURCE_HANDLERS["AWS::EKS::AccessEntry"] = {
        "create": create("access-entries", lambda props, answer: props["PrincipalArn"]),
        "delete": delete("access-entries"),
    }
    provisioners._RESOURCE_HANDLERS["AWS::EKS::PodIdentityAssociation"] = {
        "create": create("pod-identity-associations", lambda props, answer: answer["association"]["associationId"]),
        "delete": delete("pod-identity-associations"),
    }

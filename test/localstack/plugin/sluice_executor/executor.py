"""Gives each execution environment of LocalStack a process of this machine: the one that `npm start` runs bundles in."""

import json
import os
import subprocess

import requests
from localstack import config
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

HOST = "127.0.0.1"
# AWS Lambda's longest time-out is 900 s; the environment itself ends what runs longer than its function may.
LONGEST_INVOCATION_SECONDS = 905
STOP_SECONDS = 5


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    name = "process"

    def load(self, *args, **kwargs):
        return ProcessExecutor


class ProcessExecutor(RuntimeExecutor):
    """One execution environment. It ends whenever LocalStack ends, because its standard input does."""

    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self._process = None
        self._port = None
        self._session = requests.Session()
        # No proxy between two processes of this machine.
        self._session.trust_env = False

    def start(self, env_vars):
        wanted = self.function_version.config
        code = {
            "name": self.function_version.id.function_name,
            "folder": str(wanted.code.get_unzipped_code_location()),
            "handler": wanted.handler,
            "timeoutSeconds": wanted.timeout,
            "memoryMiB": wanted.memory_size,
            "environment": {name: str(value) for name, value in env_vars.items() if value is not None},
        }
        self._process = subprocess.Popen(
            [os.environ["SLUICE_NODE"], os.environ["SLUICE_ENVIRONMENT_PROGRAM"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._process.stdin.write(json.dumps(code) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        if not told:
            raise RuntimeError(f"no execution environment of {code['name']} starts: see the log of LocalStack")
        self._port = int(told)

    def invoke(self, payload):
        answer = self._session.post(
            f"http://{HOST}:{self._port}/", json=payload, timeout=LONGEST_INVOCATION_SECONDS
        ).json()
        return InvocationResult(
            request_id=payload["invoke-id"],
            payload=answer["payload"].encode(),
            is_error=answer["isError"],
            logs=answer["logs"],
        )

    def stop(self):
        if self._process is None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._session.close()

    def get_address(self):
        return HOST

    def get_endpoint_from_executor(self):
        return HOST

    def get_runtime_endpoint(self):
        """Where a container would report to; this one answers by itself."""
        return f"http://{HOST}:{config.GATEWAY_LISTEN[0].port}"

    def get_logs(self):
        return ""

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        """Nothing: the next version may have the same code, and LocalStack removes code that no version uses."""

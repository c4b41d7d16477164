"""Starts the DynamoDB Local that is installed by npm; LocalStack's own way would fetch one from the network."""

import os

from localstack.runtime import hooks


@hooks.on_infra_start()
def use_installed_dynamodb():
    folder = os.environ["SLUICE_DYNAMODB_FOLDER"]

    from localstack.services.dynamodb.server import DynamodbServer
    from localstack.utils.run import ShellCommandThread
    from localstack.utils.threads import TMP_THREADS

    def start(self):
        command = [
            "java",
            "-Xmx256m",
            f"-Djava.library.path={folder}/DynamoDBLocal_lib",
            "-jar",
            f"{folder}/DynamoDBLocal.jar",
            "-inMemory",
            "-port",
            str(self.port),
        ]
        thread = ShellCommandThread(
            command, auto_restart=True, name="dynamodb-local", env_vars={"DDB_LOCAL_TELEMETRY": "0"}
        )
        TMP_THREADS.append(thread)
        thread.start()
        return thread

    DynamodbServer.do_start_thread = start

"""Lines of a function go to the log group that its configuration names, as on AWS; LocalStack always takes the default one."""

from localstack.runtime import hooks


@hooks.on_infra_start()
def use_configured_log_groups():
    from localstack.services.lambda_.invocation.execution_environment import ExecutionEnvironment

    default = ExecutionEnvironment.get_log_group_name

    def configured(self):
        logging = self.function_version.config.logging_config or {}
        return logging.get("LogGroup") or default(self)

    ExecutionEnvironment.get_log_group_name = configured

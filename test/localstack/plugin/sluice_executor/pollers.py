"""Several batches of one event source mapping at once, as its maximal concurrency says; LocalStack hands over one after another."""

from localstack.runtime import hooks

# AWS begins with five pollers; more than these only compete for the cores of one machine.
MOST = 4
IDLE_SECONDS = 0.2
FAILED_SECONDS = 1


@hooks.on_infra_start()
def poll_side_by_side():
    from localstack.services.lambda_.event_source_mapping.esm_worker import EsmWorker
    from localstack.services.lambda_.event_source_mapping.pollers.poller import EmptyPollResultsException
    from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller
    from localstack.utils.threads import FuncThread

    start = EsmWorker.start

    def beside(self):
        while not self._shutdown_event.is_set():
            try:
                self.poller.poll_events()
            except EmptyPollResultsException:
                self._shutdown_event.wait(IDLE_SECONDS)
            except Exception:
                # The first poller of the mapping says what is wrong.
                self._shutdown_event.wait(FAILED_SECONDS)

    def start_all(self):
        start(self)
        wanted = (self.esm_config.get("ScalingConfig") or {}).get("MaximumConcurrency") or MOST
        # The first one is LocalStack's own. A queue in order has one batch at a time on AWS as well.
        more = min(wanted, MOST) - 1 if isinstance(self.poller, SqsPoller) and not self.poller.is_fifo_queue else 0
        for number in range(more):
            FuncThread(lambda *_: beside(self), name=f"event-source-mapping-poller-{self.uuid}-{number}").start()

    EsmWorker.start = start_all

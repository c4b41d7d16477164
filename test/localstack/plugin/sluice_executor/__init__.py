"""LocalStack without Docker: functions are processes, and DynamoDB Local is the one that is installed already."""

# A sum over two executors; master, addresses and ports come from the generated spark-defaults.conf.
import os
import time

from pyspark.sql import SparkSession

session = (SparkSession.builder.appName("sum").config("spark.executor.memory", "512m").config("spark.ui.enabled", "false")
           .getOrCreate())
context = session.sparkContext
end = time.time() + 90
while len(context._jsc.sc().statusTracker().getExecutorInfos()) < 3 and time.time() < end:     # the driver counts as one
    time.sleep(0.2)
executors = len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1
right = executors == 2 and context.parallelize(range(10), 4).sum() == 45
if right:
    print("%d executors: OK" % executors, flush=True)
session.stop()
os._exit(not right)

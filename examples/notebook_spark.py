# Databricks notebook source
# MAGIC %md
# MAGIC # Design, repair and audit where the data is
# MAGIC
# MAGIC Needs a cluster with PySpark 4.1 or newer (3.5 works through pandas) and `fairmend` on it.
# MAGIC Tables: `research`, which holds the protected attribute, and `archive`.

# COMMAND ----------

# MAGIC %pip install fairmend

# COMMAND ----------

import fairmend

PROTECTED, UNPROTECTED, FEATURES, KEY = "sex", "college", ["age", "hours"], "id"

# COMMAND ----------

# MAGIC %md The plan: research data is counted where it lies, and only counts reach the driver.

# COMMAND ----------

plan = fairmend.spark.design(
    spark.table("research"),
    protected=PROTECTED,
    unprotected=UNPROTECTED,
    features=FEATURES,
    min_atom_rows=5,
)
plan

# COMMAND ----------

# MAGIC %md
# MAGIC The repair. The seed is a secret: keep it in a secret scope, and never in the notebook. With
# MAGIC `dbutils`: `seed = int(dbutils.secrets.get("fairmend", "seed"))`.

# COMMAND ----------

import os

seed = int(os.environ["FAIRMEND_SEED"])
archive = spark.table("archive")
repaired = fairmend.spark.repair(archive, plan, key=KEY, seed=seed)
repaired.write.mode("overwrite").saveAsTable("repaired")

# COMMAND ----------

# MAGIC %md What it achieved and cost, from one pass over both tables.

# COMMAND ----------

found = fairmend.spark.audit(archive, spark.table("repaired"), plan, key=KEY)
for name in plan.feature_names:
    before, after = (one.features[name].total.e for one in (found.before, found.after))
    print(
        f"{name}: E {before.value:.4f} -> {after.value:.4f} ({after.low:.4f} to {after.high:.4f})"
    )
print(found.drift.words())

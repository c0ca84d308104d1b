const user = "fanfare";
const password = encodeURIComponent(process.env.MONGO_PASSWORD);
const admin = connect(`mongodb://${user}:${password}@mongodb:27017/admin?directConnection=true`);

const NOT_YET_INITIALIZED = 94;
try {
  admin.runCommand({ replSetGetStatus: 1 });
} catch (error) {
  if (error.code !== NOT_YET_INITIALIZED) throw error;
  admin.runCommand({
    replSetInitiate: { _id: "fanfare", members: [{ _id: 0, host: "mongodb:27017" }] },
  });
}
for (let attempt = 0; !admin.hello().isWritablePrimary; attempt += 1) {
  if (attempt === 60) throw new Error("No primary after 60 seconds. See `docker compose logs mongodb`.");
  sleep(1000);
}

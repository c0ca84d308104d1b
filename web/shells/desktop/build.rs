/// Every command needs a capability: those of the chooser are in `capabilities/`, the server's are added at run time.
const COMMANDS: &[&str] =
    &["list_servers", "fetch_meta", "open_server", "remove_server", "set_badge", "notify"];

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .expect("build script failed");
}

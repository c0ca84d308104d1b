#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod address;
mod commands;
mod link;
mod navigation;
mod servers;
mod texts;
mod tray;
mod window;

use std::{path::PathBuf, sync::Mutex, time::Instant};

use navigation::Navigation;
use servers::Servers;
use tauri::{App, AppHandle, Manager};
use tauri_plugin_deep_link::DeepLinkExt;
use tauri_plugin_window_state::StateFlags;

/// What the window shows, and what is remembered.
pub struct Shell {
    pub file: PathBuf,
    pub servers: Mutex<Servers>,
    pub navigation: Mutex<Navigation>,
    pub last_opened_outside: Mutex<Option<Instant>>,
}

fn main() {
    tauri::Builder::default()
        // First, so that a second start does nothing but show the window of the first. Links come with its arguments.
        .plugin(tauri_plugin_single_instance::init(|app, _arguments, _folder| window::show(app)))
        .plugin(tauri_plugin_deep_link::init())
        .plugin(
            // A window that was closed to the tray is shown at the next start.
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(StateFlags::all() & !StateFlags::VISIBLE)
                .build(),
        )
        .invoke_handler(tauri::generate_handler![
            commands::list_servers,
            commands::fetch_meta,
            commands::open_server,
            commands::remove_server,
            commands::set_badge,
            commands::notify
        ])
        .setup(|app| {
            set_up(app)?;
            Ok(())
        })
        .build(tauri::generate_context!())
        .expect("the app cannot start")
        .run(|_app, _event| {
            #[cfg(target_os = "macos")]
            if let tauri::RunEvent::Reopen { .. } = _event {
                window::show(_app);
            }
        });
}

fn set_up(app: &mut App) -> tauri::Result<()> {
    let file = app.path().app_config_dir()?.join("servers.json");
    let servers = Servers::load(&file);
    app.manage(Shell {
        file,
        servers: Mutex::new(servers),
        navigation: Mutex::default(),
        last_opened_outside: Mutex::default(),
    });
    window::create(app.handle())?;
    tray::create(app.handle())?;
    // Installers register the scheme too; this covers a program that was only unpacked.
    #[cfg(any(target_os = "linux", windows))]
    if let Err(error) = app.deep_link().register_all() {
        eprintln!("links of the app cannot be registered: {error}");
    }
    let handle = app.handle().clone();
    app.deep_link().on_open_url(move |event| open_links(&handle, &event.urls()));
    if let Ok(Some(urls)) = app.deep_link().get_current() {
        open_links(app.handle(), &urls);
    }
    Ok(())
}

fn open_links(app: &AppHandle, urls: &[tauri::Url]) {
    if let Some(link) = urls.iter().find_map(|url| link::parse_link(url.as_str())) {
        window::open_link(app, &link);
    }
    window::show(app);
}

use tauri::{
    AppHandle, Manager, include_image,
    menu::{CheckMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu},
    tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent},
};

use crate::{Shell, address::parse_origin, texts::MenuTexts, window};

const ID: &str = "tray";
const SHOW: &str = "show";
const ADD: &str = "add";
const QUIT: &str = "quit";
/// Before the address, in the ID of a server's menu entry.
const SERVER: &str = "server:";
const MAX_COUNT: u32 = 99;

/// Without a place for tray icons, such as on some Linux desktops, the window has the menu, and just closes.
pub fn create(app: &AppHandle) -> tauri::Result<()> {
    if !has_place() {
        app.set_menu(menu(app)?)?;
    }
    TrayIconBuilder::with_id(ID)
        .icon(include_image!("icons/tray.png"))
        .tooltip("Fanfare")
        .menu(&menu(app)?)
        .show_menu_on_left_click(false)
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                button_state: MouseButtonState::Up,
                ..
            } = event
            {
                window::show(tray.app_handle());
            }
        })
        .on_menu_event(|app, event| select(app, event.id().as_ref()))
        .build(app)?;
    Ok(())
}

pub fn exists(app: &AppHandle) -> bool {
    app.tray_by_id(ID).is_some() && has_place()
}

/// Whether the desktop shows tray icons. An icon can be created without.
#[cfg(target_os = "linux")]
fn has_place() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    zbus::blocking::Connection::session()
        .and_then(|connection| {
            zbus::blocking::Proxy::new(&connection, WATCHER, "/StatusNotifierWatcher", WATCHER)?
                .get_property("IsStatusNotifierHostRegistered")
        })
        .unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn has_place() -> bool {
    true
}

/// Call this after the list of servers has changed.
pub fn update(app: &AppHandle) {
    if let (Some(tray), Ok(menu)) = (app.tray_by_id(ID), menu(app)) {
        let _ = tray.set_menu(Some(menu));
    }
    if let (true, Ok(menu)) = (app.menu().is_some() && cfg!(target_os = "linux"), menu(app)) {
        let _ = app.set_menu(menu);
    }
}

/// Shows the unread count in the tray and on the app's icon.
pub fn set_badge(app: &AppHandle, count: u32) {
    let text = if count > MAX_COUNT { format!("{MAX_COUNT}+") } else { count.to_string() };
    if let Some(tray) = app.tray_by_id(ID) {
        let icon = if count > 0 {
            include_image!("icons/tray-unread.png")
        } else {
            include_image!("icons/tray.png")
        };
        let tooltip = if count > 0 { format!("Fanfare ({text})") } else { "Fanfare".to_string() };
        let _ = tray.set_icon(Some(icon));
        let _ = tray.set_tooltip(Some(tooltip));
        // Beside the icon, where the system shows texts there.
        let _ = tray.set_title((count > 0).then_some(text));
    }
    if let Some(window) = app.get_webview_window(window::LABEL) {
        #[cfg(windows)]
        let _ = window.set_overlay_icon((count > 0).then_some(include_image!("icons/tray-unread.png")));
        #[cfg(not(windows))]
        let _ = window.set_badge_count((count > 0).then_some(count.into()));
    }
}

fn menu(app: &AppHandle) -> tauri::Result<Menu<tauri::Wry>> {
    let texts = MenuTexts::of_system();
    let servers = Submenu::new(app, texts.get("servers"), true)?;
    let known = app.state::<Shell>().servers.lock().unwrap().clone();
    for server in &known.list {
        let is_current = known.current.as_ref() == Some(&server.origin);
        let id = format!("{SERVER}{}", server.origin);
        // The one without encryption must not look like the other.
        let host = server.origin.strip_prefix("https://").unwrap_or(&server.origin);
        let label =
            if server.name.is_empty() { host.to_string() } else { format!("{} ({host})", server.name) };
        servers.append(&CheckMenuItem::with_id(app, id, label, true, is_current, None::<&str>)?)?;
    }
    servers.append(&MenuItem::with_id(app, ADD, texts.get("add"), true, None::<&str>)?)?;
    let show = MenuItem::with_id(app, SHOW, texts.get("show"), true, None::<&str>)?;
    let quit = MenuItem::with_id(app, QUIT, texts.get("quit"), true, None::<&str>)?;
    Menu::with_items(app, &[&show, &servers, &PredefinedMenuItem::separator(app)?, &quit])
}

fn select(app: &AppHandle, id: &str) {
    match id {
        SHOW => window::show(app),
        QUIT => app.exit(0),
        ADD => {
            window::show(app);
            report(window::open_chooser(app, None));
        }
        _ => {
            let Some(origin) = id.strip_prefix(SERVER) else { return };
            window::show(app);
            report(switch(app, origin));
        }
    }
}

fn switch(app: &AppHandle, origin: &str) -> tauri::Result<()> {
    let Some(url) = parse_origin(origin) else { return Ok(()) };
    // Otherwise the page would leave its channel or call.
    if window::shows(app, &url) {
        return Ok(());
    }
    window::open_server(app, &url, "/")
}

fn report(result: tauri::Result<()>) {
    if let Err(error) = result {
        eprintln!("the server cannot be opened: {error}");
    }
}

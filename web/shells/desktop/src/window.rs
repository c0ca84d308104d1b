use std::time::{Duration, Instant};

use tauri::{
    AppHandle, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent,
    ipc::CapabilityBuilder, webview::NewWindowResponse,
};

use crate::{
    Shell,
    address::{origin_text, parse_origin},
    link::Link,
    navigation::{CHOOSER, Decision, new_window},
    tray,
};

pub const LABEL: &str = "main";
/// A page must not be able to open windows of the browser without end.
const OUTSIDE_INTERVAL: Duration = Duration::from_millis(500);
/// The only commands that the page of a server can call.
const SERVER_PERMISSIONS: [&str; 2] = ["allow-set-badge", "allow-notify"];

pub fn create(app: &AppHandle) -> tauri::Result<()> {
    let current = app.state::<Shell>().servers.lock().unwrap().current.clone();
    let server = current.as_deref().and_then(parse_origin);
    let url = match server {
        Some(url) => {
            prepare(app, &url)?;
            WebviewUrl::External(url)
        }
        None => WebviewUrl::default(),
    };
    let (on_navigation, on_new_window) = (app.clone(), app.clone());
    let window = WebviewWindowBuilder::new(app, LABEL, url)
        .title("Fanfare")
        .inner_size(1200.0, 800.0)
        .min_inner_size(360.0, 480.0)
        .initialization_script(include_str!("bridge.js"))
        .on_navigation(move |url| {
            let decision =
                on_navigation.state::<Shell>().navigation.lock().unwrap().decide(url, Instant::now());
            carry_out(&on_navigation, decision, url)
        })
        .on_new_window(move |url, _features| {
            carry_out(&on_new_window, new_window(&url), &url);
            NewWindowResponse::Deny
        })
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        // Downloads go to their usual folder, under a name that is free.
        .on_download(|_webview, _event| true)
        .build()?;
    let handle = app.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { api, .. } = event
            && tray::exists(&handle)
        {
            api.prevent_close();
            if let Some(window) = handle.get_webview_window(LABEL) {
                let _ = window.hide();
            }
        }
    });
    Ok(())
}

pub fn show(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    let _ = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
}

/// Whether the window shows the server's page, and not the chooser or the page of a single sign-on.
pub fn shows(app: &AppHandle, server: &Url) -> bool {
    let Some(window) = app.get_webview_window(LABEL) else { return false };
    // Before the lock: the main thread answers, and it may wait for the lock itself.
    let shown = window.url();
    let is_chosen = app.state::<Shell>().navigation.lock().unwrap().is_server(server);
    is_chosen && shown.is_ok_and(|url| url.origin() == server.origin())
}

/// Loads a server's page: a path of it, or its start. The next start opens this server too.
pub fn open_server(app: &AppHandle, server: &Url, path: &str) -> tauri::Result<()> {
    let Some(window) = app.get_webview_window(LABEL) else { return Ok(()) };
    make_current(app, server)?;
    if shows(app, server) {
        return open_path(&window, path);
    }
    prepare(app, server)?;
    tray::set_badge(app, 0);
    window.navigate(server.join(path).unwrap_or_else(|_| server.clone()))
}

fn make_current(app: &AppHandle, server: &Url) -> tauri::Result<()> {
    let shell = app.state::<Shell>();
    let origin = Some(origin_text(server));
    {
        let mut servers = shell.servers.lock().unwrap();
        if servers.current == origin {
            return Ok(());
        }
        servers.current = origin;
        servers.save(&shell.file)?;
    }
    tray::update(app);
    Ok(())
}

/// Opens a path in the page without loading it again: a call in it goes on.
fn open_path(window: &WebviewWindow, path: &str) -> tauri::Result<()> {
    window.eval(format!("window.__fanfareOpen({})", serde_json::to_string(path)?))
}

/// Shows the page on which people choose a server; `host`: the address that it offers.
pub fn open_chooser(app: &AppHandle, host: Option<&str>) -> tauri::Result<()> {
    let Some(window) = app.get_webview_window(LABEL) else { return Ok(()) };
    app.state::<Shell>().navigation.lock().unwrap().expect_chooser();
    let url = format!("{CHOOSER}/#add={}", host.unwrap_or_default());
    let url = Url::parse(&url).expect("the address is valid");
    tray::set_badge(app, 0);
    window.set_title("Fanfare")?;
    window.navigate(url)
}

/// A link to a server that the person has not added only fills in its address.
pub fn open_link(app: &AppHandle, link: &Link) {
    let known = app.state::<Shell>().servers.lock().unwrap().find_by_host(&link.host).cloned();
    let opened = match known.as_ref().and_then(|server| parse_origin(&server.origin)) {
        Some(server) => open_server(app, &server, &link.path),
        None => open_chooser(app, Some(&link.host)),
    };
    if let Err(error) = opened {
        eprintln!("a link cannot be opened: {error}");
    }
}

/// Lets the window load the server, and the server's page call two commands.
fn prepare(app: &AppHandle, server: &Url) -> tauri::Result<()> {
    let origin = origin_text(server);
    let mut capability =
        CapabilityBuilder::new(format!("server {origin}")).remote(origin).local(false).window(LABEL);
    for permission in SERVER_PERMISSIONS {
        capability = capability.permission(permission);
    }
    app.add_capability(capability)?;
    app.state::<Shell>().navigation.lock().unwrap().choose(server.clone());
    Ok(())
}

/// Returns whether the window loads it.
fn carry_out(app: &AppHandle, decision: Decision, url: &Url) -> bool {
    if decision == Decision::Outside {
        let now = Instant::now();
        let shell = app.state::<Shell>();
        let mut last = shell.last_opened_outside.lock().unwrap();
        if last.is_none_or(|last| now.duration_since(last) >= OUTSIDE_INTERVAL) {
            *last = Some(now);
            if let Err(error) = open::that_detached(url.as_str()) {
                eprintln!("a link cannot be opened outside: {error}");
            }
        }
    }
    decision == Decision::Load
}

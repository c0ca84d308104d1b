#[cfg(all(unix, not(target_os = "macos")))]
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use notify_rust::Notification;
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager, State, Url, WebviewWindow};
use ureq::{
    Agent, ResponseExt,
    tls::{RootCerts, TlsConfig, TlsProvider},
};

use crate::{
    Shell,
    address::{origin_text, parse_origin},
    servers::{Server, Servers},
    tray, window,
};

const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: u32 = 3;
const MAX_META_BYTES: u64 = 64 * 1024;
const MAX_TEXT_CHARS: usize = 300;
const MAX_PATH_CHARS: usize = 500;
/// Each waits in a thread until it is selected or disappears. Desktops can keep them in a list for days.
const MAX_WAITING: usize = 20;
/// Being shown, besides those that wait.
const MAX_SHOWING: usize = 20;
#[cfg(all(unix, not(target_os = "macos")))]
const MAX_TAGS: usize = 100;

static SHOWN: AtomicUsize = AtomicUsize::new(0);
#[cfg(all(unix, not(target_os = "macos")))]
static NUMBER: AtomicUsize = AtomicUsize::new(0);
/// By server and tag: the service's ID of the last notification, and its number.
#[cfg(all(unix, not(target_os = "macos")))]
static LAST: LazyLock<Mutex<HashMap<String, (u32, usize)>>> = LazyLock::new(Mutex::default);

#[tauri::command]
pub fn list_servers(shell: State<Shell>) -> Servers {
    shell.servers.lock().unwrap().clone()
}

#[derive(Serialize)]
pub struct Answer {
    /// After redirects.
    origin: String,
    body: String,
}

/// What answers at `/api/meta` of the address; the chooser decides whether it is a server.
#[tauri::command]
pub async fn fetch_meta(origin: String) -> Result<Answer, &'static str> {
    let url = parse_origin(&origin).ok_or("notAddress")?;
    tauri::async_runtime::spawn_blocking(move || fetch(&url)).await.map_err(|_| "unreachable")?
}

fn fetch(origin: &Url) -> Result<Answer, &'static str> {
    // The system's own TLS trusts what the webview trusts.
    let tls =
        TlsConfig::builder().provider(TlsProvider::NativeTls).root_certs(RootCerts::PlatformVerifier).build();
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(MAX_REDIRECTS)
        .tls_config(tls)
        .user_agent("Fanfare desktop app")
        .build()
        .into();
    let url = origin.join("/api/meta").map_err(|_| "notAddress")?;
    let mut response = match agent.get(url.as_str()).header("accept", "application/json").call() {
        Ok(response) => response,
        Err(ureq::Error::StatusCode(_)) => return Err("notFanfare"),
        Err(_) => return Err("unreachable"),
    };
    let end = Url::parse(&response.get_uri().to_string()).map_err(|_| "notFanfare")?;
    let body =
        response.body_mut().with_config().limit(MAX_META_BYTES).read_to_string().map_err(|_| "notFanfare")?;
    Ok(Answer { origin: origin_text(&end), body })
}

/// Remembers the server and opens it.
#[tauri::command]
pub fn open_server(app: AppHandle, shell: State<Shell>, server: Server) -> Result<(), &'static str> {
    let url = parse_origin(&server.origin).ok_or("notAddress")?;
    {
        let mut servers = shell.servers.lock().unwrap();
        servers.choose(Server { origin: origin_text(&url), name: server.name })?;
        servers.save(&shell.file).map_err(|_| "notSaved")?;
    }
    tray::update(&app);
    window::open_server(&app, &url, "/").map_err(|_| "failed")
}

#[tauri::command]
pub fn remove_server(app: AppHandle, shell: State<Shell>, origin: String) -> Result<Servers, &'static str> {
    let mut servers = shell.servers.lock().unwrap();
    servers.remove(&origin);
    servers.save(&shell.file).map_err(|_| "notSaved")?;
    let left = servers.clone();
    drop(servers);
    tray::update(&app);
    Ok(left)
}

#[tauri::command]
pub fn set_badge(
    app: AppHandle,
    window: WebviewWindow,
    shell: State<Shell>,
    count: u32,
) -> Result<(), &'static str> {
    require_server(&window, &shell)?;
    tray::set_badge(&app, count);
    Ok(())
}

#[derive(Deserialize)]
pub struct Note {
    title: String,
    body: String,
    /// A note replaces the one before it with the same tag.
    tag: String,
    /// Where the page goes when the note is selected.
    path: String,
}

#[tauri::command]
pub fn notify(
    app: AppHandle,
    window: WebviewWindow,
    shell: State<Shell>,
    note: Note,
) -> Result<(), &'static str> {
    require_server(&window, &shell)?;
    // The window may show another one when the note is selected.
    let server = shell.navigation.lock().unwrap().server().cloned().ok_or("notServer")?;
    let before = SHOWN.fetch_add(1, Ordering::Relaxed);
    if before >= MAX_WAITING + MAX_SHOWING {
        SHOWN.fetch_sub(1, Ordering::Relaxed);
        return Err("tooMany");
    }
    thread::spawn(move || {
        // Beyond the limit, it is shown, but selecting it does nothing.
        if let Err(error) = show(&app, &server, &note, before < MAX_WAITING) {
            eprintln!("a notification cannot be shown: {error}");
        }
        SHOWN.fetch_sub(1, Ordering::Relaxed);
    });
    Ok(())
}

#[cfg_attr(not(all(unix, not(target_os = "macos"))), allow(unused_variables))]
fn show(app: &AppHandle, server: &Url, note: &Note, waits: bool) -> notify_rust::error::Result<()> {
    let mut notification = Notification::new();
    notification
        .appname("Fanfare")
        .summary(&shortened(&note.title))
        .body(&escaped(&shortened(&note.body)))
        .icon("fanfare-desktop");
    #[cfg(windows)]
    notification.app_id("chat.fanfare.desktop");
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let key = (!note.tag.is_empty()).then(|| format!("{server} {}", shortened(&note.tag)));
        let last = |key: &String| LAST.lock().unwrap().get(key).copied();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        if let Some((id, _)) = key.as_ref().and_then(last) {
            notification.id(id);
        }
        if waits {
            notification.action("default", "default");
        }
        let handle = notification.show()?;
        if let Some(key) = &key {
            let mut all = LAST.lock().unwrap();
            if all.len() >= MAX_TAGS {
                all.clear();
            }
            all.insert(key.clone(), (handle.id(), number));
        }
        if waits {
            handle.wait_for_action(|action| {
                // Those that it replaced have the same ID.
                let is_replaced = key.as_ref().and_then(last).is_some_and(|(_, newest)| newest != number);
                if action == "default" && !is_replaced {
                    open(app, server, &note.path);
                }
            });
        }
    }
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    notification.show()?;
    Ok(())
}

/// Only a path of the server that sent the note: it cannot make the window go elsewhere.
#[cfg_attr(not(all(unix, not(target_os = "macos"))), allow(dead_code))]
fn open(app: &AppHandle, server: &Url, path: &str) {
    window::show(app);
    let is_path = path.starts_with('/') && !path.starts_with("//") && path.chars().count() <= MAX_PATH_CHARS;
    // It may have been removed since.
    let is_listed = app.state::<Shell>().servers.lock().unwrap().is_listed(&origin_text(server));
    if is_path && is_listed {
        let _ = window::open_server(app, server, path);
    }
}

/// Capabilities only name the addresses that were chosen since the start; the window may show another one by now.
fn require_server(window: &WebviewWindow, shell: &Shell) -> Result<(), &'static str> {
    let is_server = window.url().is_ok_and(|url| shell.navigation.lock().unwrap().is_server(&url));
    is_server.then_some(()).ok_or("notServer")
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

/// Notification services of Linux show markup.
fn escaped(text: &str) -> String {
    if cfg!(all(unix, not(target_os = "macos"))) {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    } else {
        text.to_string()
    }
}

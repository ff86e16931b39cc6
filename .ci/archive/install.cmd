@echo off
rem SPDX-FileCopyrightText: The Gamewire authors
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem Copies the plugin for each version of Wireshark, the packs and the profile into the folder of this user's settings.
rem "install.cmd /remove" deletes the plugin and the packs. Needs no rights of an administrator.
setlocal
set status=0
if "%APPDATA%" == "" goto no_folder
set settings=%APPDATA%\Wireshark
cd /d "%~dp0"
if /i "%~1" == "/remove" goto remove

rem Tables of names and other changes of the user are in the profile.
if not exist "%settings%\profiles\Gamewire" goto copy
xcopy /e /i /q /y "%settings%\profiles\Gamewire" "%settings%\profiles\Gamewire.before" >nul || goto failed
:copy
for /d %%v in (plugins\*) do (
    if not exist "%settings%\%%v\epan" mkdir "%settings%\%%v\epan" || goto failed
    copy /y "%%v\epan\gamewire.dll" "%settings%\%%v\epan" >nul || goto failed
)
rem Each version of Wireshark loads scripts from this folder.
copy /y packs\*.lua "%settings%\plugins" >nul || goto failed
xcopy /e /i /q /y profiles "%settings%\profiles" >nul || goto failed
echo Gamewire is in %settings%. Start Wireshark again, and choose the profile Gamewire at the right end of the status bar.
goto done

:remove
if not exist "%settings%\plugins" goto removed
set archive=%CD%
cd /d "%settings%\plugins"
for /d %%v in (*) do del "%%v\epan\gamewire.dll" 2>nul
for /d %%v in (*) do if exist "%%v\epan\gamewire.dll" goto failed
cd /d "%archive%"
for %%p in (packs\*.lua) do del "%settings%\plugins\%%~nxp" 2>nul
:removed
echo The plugin is removed. The profile is still there: Edit, Configuration Profiles.
goto done

:no_folder
echo APPDATA is not set, so there is no folder for a user's own plugins.
set status=1
goto done
:failed
echo A file could not be copied or deleted: close all windows of Wireshark, and try again.
set status=1
rem A double click opens a window that closes at the end of the script.
:done
if "%~1" == "" pause
exit /b %status%
